import { expect, it } from 'vitest';
import { parseJsonPath, valuesAt } from './json-path.ts';
import { fitsWildcard } from './wildcard.ts';

const root = {
  tool_calls: [
    { tool_name: 'search', arguments: { q: 'a', 'odd name': 1 } },
    { tool_name: 'pay', arguments: { amount: 5, nested: { amount: 7 } } },
  ],
  attributes: { model: 'm' },
};

/** What is at a path, how many values that took, and at most how many between two steps. */
function find(from: unknown, text: string) {
  const path = parseJsonPath(text);
  if (typeof path === 'string') throw new Error(path);
  const steps: number[] = [0];
  const finding = valuesAt(from, path, (values) => steps.push((steps.pop() ?? 0) + values));
  let step = finding.next();
  for (; !step.done; step = finding.next()) steps.push(0);
  return { values: step.value, looks: steps.reduce((sum, one) => sum + one), most: Math.max(...steps) };
}

const at = (text: string) => find(root, text).values;

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
  expect(find(wide, '$[*].n').values).toBeUndefined();
  expect(find(wide, '$..n').values).toBeUndefined();
});

it('values within each other are looked at once for each part of a path, and a few at a time', () => {
  const large = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`k${n}`, n]));
  const nested = Array.from({ length: 20 }).reduce<object>((x) => ({ x }), { ...large, zz: 'found' });
  const { values, looks } = find(nested, '$..x..x..zz');
  expect(values).toEqual(['found']);
  expect(looks).toBeLessThan(4 * 40_000);
  const many = Array.from({ length: 15_000 }, (_, n) => ({ n, list: [1, 2, 3] }));
  for (const path of ['$..n', '$[*].n', '$[*].list'])
    expect(find(many.slice(0, 6000), path).most, path).toBeLessThan(10_000);
  expect(find(many, '$..list').values).toBeUndefined();
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
