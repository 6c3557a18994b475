import { expect, it } from 'vitest';
import { parseJsonPath, type TracePath, valuesAt } from './json-path.ts';
import { fitsWildcard } from './wildcard.ts';

const root = {
  tool_calls: [
    { tool_name: 'search', arguments: { q: 'a', 'odd name': 1 } },
    { tool_name: 'pay', arguments: { amount: 5, nested: { amount: 7 } } },
  ],
  attributes: { model: 'm' },
};

const at = (text: string) => {
  const path = parseJsonPath(text);
  if (typeof path === 'string') throw new Error(path);
  return valuesAt(root, path, () => {});
};

it('a path leads to values', () => {
  expect(at('$')).toEqual([root]);
  expect(at('$.attributes.model')).toEqual(['m']);
  expect(at('$.tool_calls[0].tool_name')).toEqual(['search']);
  expect(at('$.tool_calls[-1].tool_name')).toEqual(['pay']);
  expect(at('$.tool_calls[*].tool_name')).toEqual(['search', 'pay']);
  expect(at("$.tool_calls[*].arguments['odd name']")).toEqual([1]);
  expect(at('$..amount')).toEqual([5, 7]);
  expect(at('$.attributes.*')).toEqual(['m']);
  expect(at('$.nothing.here')).toEqual([]);
  expect(at('$.constructor')).toEqual([]);
});

it('a path that is none is refused with what is wrong', () => {
  expect(parseJsonPath('attributes')).toBe('must begin with $');
  for (const wrong of ['$.', '$[', '$[?(@.a)]', '$.a b', '$[1:2]', '$...a'])
    expect(parseJsonPath(wrong), wrong).toContain('is not a path');
  expect(parseJsonPath(`$${'.a'.repeat(40)}`)).toContain('more than 32 steps');
});

it('a path over too many values ends', () => {
  const wide = Array.from({ length: 50_000 }, (_, n) => ({ n }));
  expect(valuesAt(wide, parseJsonPath('$[*].n') as TracePath, () => {})).toBeUndefined();
  expect(valuesAt(wide, parseJsonPath('$..n') as TracePath, () => {})).toBeUndefined();
});

it('a wildcard stands for any characters', () => {
  for (const [wildcard, name] of [
    ['search', 'search'],
    ['*', ''],
    ['mcp_*', 'mcp_read'],
    ['*_read', 'mcp_read'],
    ['m*p*d', 'mcp_read'],
    ['**', 'anything'],
  ] as const)
    expect(fitsWildcard(wildcard, name), `${wildcard} ${name}`).toBe(true);
  for (const [wildcard, name] of [
    ['search', 'research'],
    ['ab*ba', 'aba'],
    ['a*b*c', 'acb'],
    ['', 'a'],
  ] as const)
    expect(fitsWildcard(wildcard, name), `${wildcard} ${name}`).toBe(false);
});
