import { expect, test } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { storedTraceOf } from '../../bench/simulator/stored.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { FAULTS, makeWorld } from '../../bench/simulator/world.mjs';
import { openTestApp } from '../support/app.ts';

type SimulatedRun = { failed: boolean; causes: string[]; no: number };
const runsOf = (seed: number, faults: string[], runs = 400): SimulatedRun[] =>
  makeWorld({ seed, faults, runs }).steps.filter(({ kind }: { kind: string }) => kind === 'run');
const failureRate = (runs: SimulatedRun[]) => runs.filter(({ failed }) => failed).length / runs.length;

test('a seed makes the same world again, and another makes another', () => {
  expect(makeWorld({ seed: 3 })).toEqual(makeWorld({ seed: 3 }));
  expect(makeWorld({ seed: 3 })).not.toEqual(makeWorld({ seed: 4 }));
});

test('without faults few runs fail, and none for a reason', () => {
  const runs = [1, 2, 3].flatMap((seed) => runsOf(seed, []));
  expect(failureRate(runs)).toBeGreaterThan(0.02);
  expect(failureRate(runs)).toBeLessThan(0.07);
  expect(runs.flatMap(({ causes }) => causes)).toEqual([]);
});

test.each(FAULTS as string[])('the fault %s makes runs fail, and none before it is planted', (fault) => {
  const runs = [1, 2, 3].flatMap((seed) => runsOf(seed, [fault]));
  const hurt = runs.filter(({ causes }) => causes.includes(fault));
  expect(hurt.length).toBeGreaterThan(20);
  expect(hurt.every(({ failed, no }) => failed && no >= 160)).toBe(true);
});

test('a world is played through the service: reads with their versions, tools, errors and outcomes', async () => {
  const app = await openTestApp('sqlite');
  try {
    const world = makeWorld({ seed: 5, runs: 60 });
    const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
    const { runs, wrongVersion } = await playWorld(world, { call: app.call, advanceTo });
    expect(wrongVersion).toBe(2);
    expect(runs).toHaveLength(60);
    const misled = runs.find((run: SimulatedRun) => run.causes.includes('memory'));
    const trace = await app.call('traces.read', { trace_id: misled.trace_id });
    expect(trace.outcome_type).toBe('failure');
    // What rules are held against without a service has all that the service adds.
    expect(storedTraceOf(misled, world).header.attributes).toEqual(trace.attributes);
    const { entity_path, key } = world.truth.memory.fact;
    expect(trace.causal_entries).toContainEqual(expect.objectContaining({ entity_path, key, version: 2 }));
  } finally {
    await app.close();
  }
});

test.each([
  { planted: 'nothing', faults: [], seed: 6 },
  { planted: 'every fault', faults: FAULTS as string[], seed: 7 },
])('where $planted is planted, what a confidence means is learned to within 0.05', async ({ faults, seed }) => {
  const app = await openTestApp('sqlite');
  try {
    const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
    await playWorld(makeWorld({ seed, faults, runs: 240 }), { call: app.call, advanceTo });
    const { n, learned_calibration_error } = await app.call('outcomes.calibration', {});
    expect(n).toBe(1200);
    expect(learned_calibration_error).toBeLessThanOrEqual(0.05);
  } finally {
    await app.close();
  }
});
