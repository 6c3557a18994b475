import { expect, it } from 'vitest';
import { parseQuery } from './query.ts';
import { countTerm } from './rank.ts';
import { findTerms } from './term-finds.ts';

it('finds in a text the terms that counting finds in its words', () => {
  const texts = ['big red dog', 'red', 'reddish dog big', 'dog red red big', 'größe 犬 red', ''].map((text) =>
    text.split(' ').filter(Boolean),
  );
  const terms = parseQuery('red dog "red dog" "big red dog" re* "red re*" größe 犬 nothing d*');
  expect(terms.length).toBeGreaterThan(6);
  const has = findTerms(
    texts.map((words) => ` ${words.join(' ')} `),
    terms,
  );
  for (const term of terms)
    for (const [at, words] of texts.entries())
      expect([term, at, has(at, term)]).toEqual([term, at, countTerm(words, term) > 0]);
});
