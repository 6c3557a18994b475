import { expect, it } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { storedTraceOf } from '../../../../../bench/simulator/stored.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../../../../bench/simulator/world.mjs';
import { type JudgedTrace, judgedTraceOf, newMatchers } from '../../evaluation/index.ts';
import { candidatesOf } from './candidates.ts';
import { literalIn } from './literal.ts';
import { observe, withMissing } from './observe.ts';
import { standOut } from './stand-out.ts';

function finished<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

type Played = {
  kind: string;
  no: number;
  at: number;
  agent: string;
  failed: boolean;
  causes: string[];
  tools: { name: string; failed: boolean }[];
  attributes: Record<string, string>;
  reads: { entity_path: string; key: string }[];
};
type World = { steps: Played[]; truth: { memory?: { fact: object; since: number } } };

/** A run of the simulator as a judge sees it. */
const traceOf = (run: Played, world: World): JudgedTrace => judgedTraceOf(storedTraceOf(run, world));

function findIn(world: World, example: number) {
  const runs = world.steps.filter(({ kind }) => kind === 'run');
  const traces = runs.map((run) => traceOf(run, world));
  const first = finished(candidatesOf(traces[example] as JudgedTrace));
  const observed = traces.map((trace, i) =>
    finished(observe(first, { trace, matchers: newMatchers(), failed: (runs[i] as Played).failed })),
  );
  const { candidates, runs: around } = withMissing(first, observed, example);
  const isEffect = candidates.map(({ kind }) => kind === 'outcome');
  const found = standOut({ runs: around, example, isEffect });
  if (!found) throw new Error('nothing was found');
  return { runs, found, features: found.used.map((no) => candidates[no]?.feature) };
}

const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

/** In how many worlds one example is enough: what is found in it is found in the runs with the fault, and in no others. */
type Has = (run: Played, world: World) => boolean;

function foundIn(faults: string[], hasFault: Has, isExample: Has = hasFault): number[] {
  return seeds.filter((seed) => {
    const world = makeWorld({ seed, runs: 400, faults }) as World;
    const runs = world.steps.filter(({ kind }) => kind === 'run');
    const having = runs.filter((run) => hasFault(run, world));
    const examples = having.filter((run) => isExample(run, world));
    const example = examples[Math.floor(examples.length / 2)] as Played;
    const { found } = findIn(world, example.no);
    const matched = new Set([example.no, ...found.neighbours]);
    const right = having.filter(({ no }) => matched.has(no)).length;
    return right >= 0.95 * having.length && right >= 0.95 * matched.size;
  });
}

const isNew = ({ attributes }: Played) => attributes.release === '2.0';
const toolFailed = ({ tools }: Played) => tools.some(({ failed }) => failed);
const misled = ({ reads, at }: Played, { truth }: World) =>
  truth.memory !== undefined && at > truth.memory.since && reads.some((fact) => fact === truth.memory?.fact);

it('finds a release that leaves out a step from one example, by what it does', () => {
  expect(foundIn(['release'], isNew)).toHaveLength(20);
  const world = makeWorld({ seed: 1, runs: 400, faults: ['release'] }) as World;
  const example = world.steps.filter((run) => run.kind === 'run' && isNew(run))[20] as Played;
  const { found, features } = findIn(world, example.no);
  expect(features).toEqual(['does not call verify']);
  expect(found).toMatchObject({ reason: 'new' });
  expect(found.chance).toBeLessThan(1e-6);
  // What is always with it is named too.
  expect(found.features.map(({ used, neighbours }) => [used, neighbours.rate])).toEqual(
    expect.arrayContaining([
      [true, 1],
      [false, 1],
    ]),
  );
});

it('finds other faults from one example, also where all are planted', () => {
  const all = ['memory', 'tool', 'release'];
  const onlyNew: Has = (run, world) => isNew(run) && !misled(run, world) && !toolFailed(run);
  const onlyMisled: Has = (run, world) => !isNew(run) && misled(run, world) && !toolFailed(run);
  const onlyTool: Has = (run, world) => !isNew(run) && !misled(run, world) && toolFailed(run);
  expect(foundIn(all, isNew, onlyNew)).toHaveLength(20);
  expect(foundIn(all, misled, onlyMisled).length).toBeGreaterThanOrEqual(19);
  expect(foundIn(all, toolFailed, onlyTool).length).toBeGreaterThanOrEqual(19);
});

it('is never what most runs have, however much surer that is', () => {
  const world = makeWorld({ seed: 7, runs: 240 }) as World;
  const isMisled = (run: Played) => run.kind === 'run' && misled(run, world) && `${run.causes}` === 'memory';
  const { no } = world.steps.find(isMisled) as Played;
  const { runs, found, features } = findIn(world, no);
  expect(features[0]).toMatch(/^reads version 2 of /);
  expect(found.neighbours.length).toBeLessThan(0.2 * runs.length);
  // Nine of ten runs have all that it has.
  const alike = Array.from({ length: 40 }, (_, at) => ({ has: [true, at % 10 > 0], failed: at % 20 === 1 }));
  expect(standOut({ runs: alike, example: 1, isEffect: [false, false] })).toBeUndefined();
});

it('says so where nothing sets an example apart', () => {
  const reasons = seeds.map((seed) => findIn(makeWorld({ seed, runs: 240, faults: [] }) as World, 200).found.reason);
  expect(reasons.filter((reason) => reason === 'fails' || reason === 'new').length).toBeLessThanOrEqual(1);
});

it('takes the part of an error that others have too', () => {
  expect(literalIn('order 1042: connection reset (by peer)')).toEqual({
    shown: 'connection reset (by peer)',
    pattern: 'connection reset \\(by peer\\)',
  });
  expect(literalIn('503')).toBeUndefined();
});
