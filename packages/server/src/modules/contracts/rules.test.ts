import { describe, expect, it } from 'vitest';
import { matchesPattern, violationsOf } from './rules.ts';

describe('a pattern of keys', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything/at all', true],
    ['retry-*', 'retry-policy', true],
    ['retry-*', 'retry-', true],
    ['retry-*', 'retry', false],
    ['*-policy', 'retry-policy', true],
    ['*-policy', 'retry-policy-2', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['**', 'x', true],
    ['a**b', 'ab', true],
    ['exact', 'exact', true],
    ['exact', 'exactly', false],
    ['a.b', 'axb', false],
    ['[a-z]', 'b', false],
    ['?', 'x', false],
  ])('%s on %s: %s', (pattern, text, matches) => {
    expect(matchesPattern(pattern, text)).toBe(matches);
  });

  it('costs no more than its length, whatever it holds', () => {
    expect(matchesPattern(`${'a*'.repeat(128)}b`, 'a'.repeat(256))).toBe(false);
  });
});

describe('a contract', () => {
  const contract = {
    entity_path: 'a/**',
    key_pattern: '*',
    min_confidence: null,
    max_confidence: null,
    required_fields: ['toString', '__proto__.x'],
    ttl_required: false,
    description: '',
  };
  const write = { entity_path: 'a/b', key: 'k', confidence: 1, ttl_at: null, value: {} };

  it('asks for members of the value, not of the language', () => {
    expect(violationsOf(contract, write).map(({ path }) => path)).toEqual(['value.toString', 'value.__proto__.x']);
    expect(violationsOf(contract, { ...write, value: JSON.parse('{"toString":1,"__proto__":{"x":1}}') })).toEqual([]);
  });

  it('says nothing of entries elsewhere', () => {
    expect(violationsOf(contract, { ...write, entity_path: 'a' })).toEqual([]);
    expect(violationsOf(contract, { ...write, entity_path: 'ab/c' })).toEqual([]);
  });
});
