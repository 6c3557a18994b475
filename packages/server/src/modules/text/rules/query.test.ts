import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, type Term } from './query.ts';
import { wordsOfEntry } from './words.ts';

const term = (...words: string[]): Term => ({ words, prefix: false });
const prefix = (...words: string[]): Term => ({ words, prefix: true });

/** Matches a term as both databases do. */
function finds({ words, prefix }: Term, indexed: string[]): boolean {
  return indexed.some((_, start) =>
    words.every((word, at) => {
      const found = indexed[start + at];
      return found === word || (prefix && at === words.length - 1 && found?.startsWith(word));
    }),
  );
}

function finding(query: string, text: string): boolean {
  return parseQuery(query).some((one) => finds(one, wordsOfEntry({ entity_path: 'p', key: 'k', value: text })));
}

describe('a query', () => {
  it('is stemmed words', () => {
    expect(parseQuery('Retrying  payments!')).toEqual([term('retri'), term('payment')]);
    expect(parseQuery('checkout/payments: (timeouts)')).toEqual([term('checkout'), term('payment'), term('timeout')]);
  });

  it('may hold quoted phrases', () => {
    expect(parseQuery('"exponential backoff" now')).toEqual([term('exponenti', 'backoff'), term('now')]);
    expect(parseQuery('a"b c"d')).toEqual([term('a'), term('b', 'c'), term('d')]);
    expect(parseQuery('""')).toEqual([]);
  });

  it('passes over a quote that is not closed', () => {
    expect(parseQuery('"one two')).toEqual([term('one'), term('two')]);
  });

  it('takes an identifier as a phrase of its parts', () => {
    expect(parseQuery('retryPolicy_v2')).toEqual([term('retri', 'polici', 'v2')]);
    expect(parseQuery("retry-policy http.server don't")).toEqual([
      term('retri', 'polici'),
      term('http', 'server'),
      term('don', 't'),
    ]);
  });

  it('takes a run without spaces as a phrase of pairs, and a lone letter as the beginning of one', () => {
    expect(parseQuery('東京都、天気')).toEqual([term('東京', '京都'), term('天気')]);
    expect(parseQuery('東')).toEqual([prefix('東')]);
  });

  it('takes a star as a prefix that is not stemmed, cut to where the stem would differ', () => {
    expect(parseQuery('pay*')).toEqual([prefix('pay')]);
    expect(parseQuery('operati*')).toEqual([prefix('operati')]);
    expect(parseQuery('policy*')).toEqual([prefix('polic')]);
    expect(parseQuery('maxRetr*')).toEqual([prefix('max', 'retr')]);
    expect(parseQuery('* ** a *')).toEqual([term('a')]);
  });

  it('has at most 20 distinct terms', () => {
    expect(parseQuery('a b a b')).toHaveLength(2);
    expect(parseQuery(Array.from({ length: 50 }, (_, n) => `w${n} w${n}`).join(' '))).toHaveLength(20);
    expect(parseQuery(`"${'word '.repeat(1000)}"`)[0]?.words).toHaveLength(32);
  });

  it('finds the text it was copied from', () => {
    const text = 'we use maxRetryPolicy_v2 for the HTTPServer of 東京都, don’t we, as configured by policies';
    for (const query of [
      'maxRetryPolicy_v2',
      '"use maxRetryPolicy_v2 for"',
      'maxretrypolicy',
      'httpserver',
      '京都',
      'don’t',
    ]) {
      expect(finding(query, text), query).toBe(true);
    }
    for (const query of ['configure*', 'configured*', 'policy*', 'policies*', 'polic*', '"retry policy"', 'server*']) {
      expect(finding(query, text), query).toBe(true);
    }
    expect(finding('"policy retry"', text)).toBe(false);
  });

  it('finds any word by the word and by the word with a star', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9éß東京が_.-]{1,12}$/), (word) => {
        fc.pre(wordsOfEntry({ entity_path: '', key: '', value: word }).length > 0);
        expect(finding(word, `before ${word} after`)).toBe(true);
        expect(finding(`${word}*`, `before ${word} after`)).toBe(true);
      }),
    );
  });

  it('never fails and holds only clean words, whatever the text', () => {
    const text = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc
        .array(fc.constantFrom('"', '*', ' ', 'a', 'B', '-', '.', '東', "'", '\\', '\ud800', ':', 'é', '(', 'NEAR'))
        .map((list) => list.join('')),
    );
    fc.assert(
      fc.property(text, (query) => {
        const terms = parseQuery(query);
        expect(terms.length).toBeLessThanOrEqual(20);
        for (const { words } of terms) {
          expect(words.length).toBeGreaterThan(0);
          for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
