import { expect, test } from 'vitest';
import { countTerm, countTerms, rankTexts } from './rank.ts';

const text = ['red', 'apple', 'pie', 'red', 'apple', 'tree'];

test.each([
  [{ words: ['red'], prefix: false }, 2],
  [{ words: ['red', 'apple'], prefix: false }, 2],
  [{ words: ['apple', 'pie'], prefix: false }, 1],
  [{ words: ['apple', 'red'], prefix: false }, 0],
  [{ words: ['app'], prefix: false }, 0],
  [{ words: ['app'], prefix: true }, 2],
  [{ words: ['red', 'app'], prefix: true }, 2],
  [{ words: ['tree', 'red'], prefix: false }, 0],
])('%j is found %i times', (term, times) => {
  expect(countTerm(text, term)).toBe(times);
});

test('a rare word weighs more than a common one, and what matches nothing has no score', () => {
  const term = (word: string) => ({ words: [word], prefix: false });
  const terms = [term('common'), term('rare')];
  const texts = [['common', 'rare'], ['common', 'other'], ['common', 'more'], ['nothing']];
  const scores = rankTexts(texts.map((words) => countTerms(words, terms)));
  const [both = 0, common = 0, , nothing] = scores;
  expect(both).toBeGreaterThan(2 * common);
  expect(common).toBeGreaterThan(0);
  expect(nothing).toBe(0);
});
