import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretPatterns } from '../../traces/rules/redact-patterns.ts';
import { newScanBudget, secretsInEntry } from './secrets.ts';

const MIXED = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6dE9fG2hJ5kL8mN1pQ4rS7tU0vW3xY6'.repeat(2);
const LETTERS: Record<string, string> = { '': MIXED, A: MIXED.toUpperCase(), a: '0123456789abcdef'.repeat(4) };
const edge = (word: string) => ['-----', word, ' RSA PRIVATE KEY-----'].join('');
const pem = [edge('BEGIN'), MIXED.slice(0, 64), MIXED.slice(1, 65), edge('END')].join('\n');
const filled = (example: string): string =>
  example
    .replaceAll(/[«»]/g, '')
    .replace(/\{(\d+)([aA]?)\}/g, (_, length, letters) => (LETTERS[letters] as string).slice(0, Number(length)))
    .replace('{pem begin}', edge('BEGIN'))
    .replace('{pem end}', edge('END'))
    .replace('{cut pem}', pem.slice(0, 130))
    .replace('{pem}', pem);

const check = (value: unknown, key = 'note') =>
  secretsInEntry(key, JSON.stringify(value), newScanBudget())?.kinds ?? [];

describe('secretsInEntry', () => {
  it.each(secretPatterns.flatMap(({ kind, caught }) => caught.map((text) => [kind, text] as const)))(
    'finds %s in %j',
    (_, text) => {
      expect(check(filled(text))).not.toEqual([]);
      // Also far inside a long value, between other text.
      const prose = 'The gateway retries three times and then gives up. '.repeat(200);
      expect(check({ before: prose, text: filled(text), after: prose })).not.toEqual([]);
    },
  );

  it.each(secretPatterns.flatMap(({ harmless }) => harmless.map((text) => [text])))('leaves %j alone', (text) => {
    expect(check(filled(text as string))).toEqual([]);
  });

  it.each([
    ['hunter2', 'db-password'],
    ['correct horse battery', 'db_password'],
    ['deadbeef', 'api-token'],
    ['correct horse battery staple', 'password'],
    ['correct horse battery staple', 'db_password'],
    [{ value: 'hunter2' }, 'db_password'],
  ])('finds %j under the key %j', (value, key) => {
    expect(check(value, key)).toEqual(['assignment']);
  });

  it.each([
    ['Rotated weekly by the platform team.', 'api-token'],
    ['see vault', 'db_password'],
    ['see vault', 'password'],
    [{ value: 'stored in the vault' }, 'password'],
    [{ max_length: 64 }, 'password'],
    ['https://vault.example/db', 'db-password'],
    ['', 'password'],
  ])('leaves %j under the key %j alone', (value, key) => {
    expect(check(value, key)).toEqual([]);
  });

  it('reads any value, and ends', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.string(), (value, key) => Array.isArray(check(value, key))));
    for (const piece of ['token: ', 'a1-', '4111 ', '"', '-u ', "password '", '\\n', '@', ':', 'x'.repeat(14)])
      expect(check(piece.repeat(100_000))).toBeInstanceOf(Array);
  });

  it('finds a token after hundreds of lines with times and ids', () => {
    const line = (i: number) =>
      `2026-11-15T10:00:00.${1000 + i}Z [1763251200${100 + i}] INFO req-8f3a9c2b1d4e5f6a7b8c${i} GET /api/v1/users/123456789012 ` +
      `trace=4bf92f3577b34da6a3ce929d0e0e4736 id=550e8400-e29b-41d4-a716-446655440000 took ${i} ms\n`;
    const log = Array.from({ length: 3000 }, (_, i) => line(i)).join('');
    expect(check(log)).toEqual([]);
    expect(check(`${log}pushed with ghp_${MIXED.slice(0, 36)}\n`)).toEqual(['github_token']);
    expect(check(`${log}PASSWORD=hunter2\n`)).toEqual(['assignment']);
  });

  it('finds a token that is the key of an entry', () => {
    const found = secretsInEntry(`ghp_${MIXED.slice(0, 36)}`, '"of the build"', newScanBudget());
    expect(found).toEqual({ part: 'key', kinds: ['github_token'] });
  });

  it('scans no more than an operation may', () => {
    const budget = newScanBudget();
    const value = JSON.stringify('the token: see docs. '.repeat(10_000));
    for (let i = 0; i < 100; i++) secretsInEntry('note', value, budget);
    expect(budget.scanned).toBeLessThanOrEqual(0);
    expect(budget.scanned).toBeGreaterThan(-2000);
    expect(budget.searched).toBe(0);
  });

  it('takes about as long for signs as for any other text', () => {
    const best = (piece: string) => {
      const text = piece.repeat(Math.ceil(500_000 / piece.length));
      const times = [1, 2, 3].map(() => {
        const start = performance.now();
        secretsInEntry('note', text, newScanBudget());
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    best('word ');
    // What is scanned in passages costs the same for each; the signs alone took a hundred times as long.
    const base = best('word ') + best('the token: see docs. ');
    for (const piece of ['@', '-', '--', ':', '=', "'", '@a', 'a:', '-u', 'd:', '1a', 'key:', '--a ', '1234 ', 'ghp_'])
      expect(best(piece), piece).toBeLessThan(20 * base);
  });
});
