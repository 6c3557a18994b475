import { expect, test } from 'vitest';
import { KeptPatterns } from './save.ts';

const weigh = (n: number, weight: number, severity = 'info') => ({
  ...{ pattern_id: `pattern-${String(n).padStart(4, '0')}`, pattern_type: 'hot_entity', severity, weight },
});

test('the most severe and heaviest of a type are kept, in whichever order they are found', () => {
  const found = [...Array(700).keys()].map((n) => weigh(n, (n * 37) % 700, n % 100 === 0 ? 'critical' : 'info'));
  const keptOf = (order: typeof found) => {
    const kept = new KeptPatterns([]);
    for (const one of order) kept.add(one);
    return found.filter((one) => kept.has(one)).map(({ pattern_id }) => pattern_id);
  };
  const kept = keptOf(found);
  expect(kept).toHaveLength(500);
  expect(kept).toEqual(keptOf(found.toReversed()));
  expect(found.filter(({ severity }) => severity === 'critical').every((one) => kept.includes(one.pattern_id))).toBe(
    true,
  );
});

test('the one that has to go is named, and a lighter one finds no room', () => {
  const kept = new KeptPatterns([...Array(500).keys()].map((n) => weigh(n, n + 1)));
  expect(kept.add(weigh(900, 0))).toBeUndefined();
  expect(kept.add(weigh(901, 9))).toEqual({ displaced: 'pattern-0000' });
  expect(kept.add(weigh(499, 1))).toEqual({ displaced: undefined });
});
