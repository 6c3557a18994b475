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

const check = (value: unknown, key = 'note') => secretsInEntry(key, JSON.stringify(value), newScanBudget());

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
  ])('finds %j under the key %j', (value, key) => {
    expect(check(value, key)).toEqual(['assignment']);
  });

  it.each([
    ['Rotated weekly by the platform team.', 'api-token'],
    ['see vault', 'db_password'],
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

  it('scans no more than an operation may', () => {
    const budget = newScanBudget();
    const value = JSON.stringify('the token: see docs. '.repeat(10_000));
    for (let i = 0; i < 100; i++) secretsInEntry('note', value, budget);
    expect(budget.passages).toBe(0);
  });
});
