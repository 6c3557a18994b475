import { expect, it } from 'vitest';
import { checkResults } from '../../packages/server/src/connectors/results.ts';
import { pathOf } from '../../packages/server/src/modules/ingestion/names.ts';
import { mergeThing, type ThingState } from '../../packages/server/src/modules/ingestion/rules/merge.ts';
import { longestTurnOf } from '../support/turns.ts';

const limits = { max_value_bytes: 1024 * 1024 };
const named = (n: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, value]));
const merged = { operation: 'write', entity_path: 'a', key: 'k', merge: true };
const at = '2025-01-01T00:00:00Z';

it.each([
  ['members', { ...merged, value: named(1001) }, /1001 members; 1000 are allowed/],
  ['lists', { ...merged, value: {}, items: named(21, {}) }, /21 lists; 20 are allowed/],
  ['items', { ...merged, value: {}, items: { a: named(600, { at }), b: named(401, { at }) } }, /1001 items; 1000 are/],
])('a result has so many %s at most', (_, result, problem) => {
  expect(checkResults([result], limits)).toMatchObject({ problem: expect.stringMatching(problem) });
});

/** Of this thread alone: other tests run in threads beside it. */
const msOf = (work: () => void): Promise<number> => longestTurnOf(async () => work());

it('a payload that names its thing with a megabyte holds up nobody', async () => {
  const payload = { repository: { full_name: 'a/'.repeat(500_000) } };
  expect(await msOf(() => expect(pathOf(payload, 'repos')).toBe('repos'))).toBeLessThan(50);
});

it('two large values of the same moment are compared fast', async () => {
  const whole: ThingState = { whole: [1, 0] };
  const thing = { state: whole, value: named(40_000, 'a value') };
  const change = { stamp: [1, 0] as const, value: named(40_000, 'b value') };
  expect(await msOf(() => expect(mergeThing(thing, change).isLate).toBe(false))).toBeLessThan(100);
});
