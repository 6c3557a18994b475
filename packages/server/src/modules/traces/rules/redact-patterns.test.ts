import { describe, expect, it } from 'vitest';
import { redactText } from './redact.ts';
import { secretPatterns } from './redact-patterns.ts';

const MIXED = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6dE9fG2hJ5kL8mN1pQ4rS7tU0vW3xY6'.repeat(2);
const LETTERS: Record<string, string> = { '': MIXED, A: MIXED.toUpperCase(), a: '0123456789abcdef'.repeat(4) };
const edge = (word: string) => ['-----', word, ' RSA PRIVATE KEY-----'].join('');
const pem = [edge('BEGIN'), MIXED.slice(0, 64), MIXED.slice(1, 65), edge('END')].join('\n');
const NAMED: Record<string, string> = {
  pem,
  'cut pem': pem.slice(0, 130),
  'pem begin': edge('BEGIN'),
  'pem end': edge('END'),
};

/** The examples in the table contain no secrets: `{20}` becomes one of 20 characters here. */
const filled = (example: string): string =>
  example
    .replace(/\{(\d+)([aA]?)\}/g, (_, length, letters) => (LETTERS[letters] as string).slice(0, Number(length)))
    .replace(/\{((?:cut )?pem(?: begin| end)?)\}/g, (_, name) => NAMED[name] as string);

describe.each(secretPatterns)(
  'the pattern for $kind: $catches',
  ({ kind, pattern, check, locate, caught, harmless }) => {
    it.each(caught)('replaces what it should in %j', (example) => {
      const text = filled(example).replaceAll(/[«»]/g, '');
      const redacted = filled(example).replaceAll(/«[^»]*»/g, `[REDACTED:${kind}]`);
      expect(redacted).not.toBe(text);
      expect(redactText(text)).toBe(redacted);
      expect(redactText(redacted)).toBe(redacted);
    });

    it('is itself what finds them', () => {
      for (const example of caught) expect(filled(example).replaceAll(/[«»]/g, '')).toMatch(pattern);
    });

    it.each(harmless)('leaves %j unchanged', (example) => {
      expect(redactText(filled(example))).toBe(filled(example));
    });

    it('is global, and asked about in one way', () => {
      expect(pattern.flags).toMatch(/^gi?$/);
      expect(check && locate).toBeUndefined();
      expect('').not.toMatch(pattern);
    });
  },
);

it('a kind is named in one way', () => {
  for (const { kind } of secretPatterns) expect(kind).toMatch(/^[a-z_]+$/);
});
