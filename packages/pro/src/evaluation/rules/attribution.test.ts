import { expect, it } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../../../../bench/simulator/world.mjs';
import { attributeFailures, type ComparedRun, type Suspect } from './attribution.ts';
import { liftOf } from './lift.ts';

function suspects(runs: ComparedRun[]): Suspect[] {
  const steps = attributeFailures(runs, 10);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const repeat = (n: number, run: ComparedRun): ComparedRun[] => Array.from({ length: n }, () => run);
const run = (failed: boolean, ...reads: string[]): ComparedRun => ({ failed, reads });

it('the lift has the known interval, and one for groups without any case', () => {
  const { ratio, low, high } = liftOf({ a: 30, ofA: 50, b: 10, ofB: 100 });
  expect(ratio).toBeCloseTo(5.78, 2);
  expect(low).toBeGreaterThan(3);
  expect(high).toBeLessThan(11.5);
  expect(liftOf({ a: 5, ofA: 5, b: 0, ofB: 50 }).low).toBeGreaterThan(1);
  expect(liftOf({ a: 0, ofA: 0, b: 0, ofB: 0 })).toMatchObject({ ratio: 1 });
});

it('names the version that failing runs read, and marks what was only read beside it', () => {
  const runs = [
    ...repeat(18, run(true, 'wrong', 'beside')),
    ...repeat(4, run(true, 'wrong')),
    ...repeat(2, run(false, 'wrong')),
    ...repeat(4, run(false, 'beside')),
    ...repeat(60, run(false, 'other')),
    ...repeat(2, run(true, 'other')),
  ];
  const [first, second, ...rest] = suspects(runs);
  expect(first).toMatchObject({ name: 'wrong', explained_by: null, with_it: { count: 22, of: 24 }, always_with: [] });
  expect(first?.lift.low).toBeGreaterThan(1);
  expect(second).toMatchObject({ name: 'beside', explained_by: 'wrong' });
  expect(rest).toEqual([]);
});

it('says so where nothing tells two versions apart', () => {
  const runs = [...repeat(10, run(true, 'b', 'a')), ...repeat(40, run(false, 'c'))];
  expect(suspects(runs)).toMatchObject([{ name: 'a', always_with: ['b'] }]);
});

it('names nothing where failures are few, or fall alike', () => {
  expect(suspects([])).toEqual([]);
  expect(suspects([...repeat(2, run(true, 'a')), ...repeat(40, run(false, 'b'))])).toEqual([]);
  const alike = ['a', 'b', 'c'].flatMap((name) => [...repeat(10, run(true, name)), ...repeat(20, run(false, name))]);
  expect(suspects(alike)).toEqual([]);
});

type SimulatedStep = { kind: string; at: number; failed: boolean; reads: { entity_path: string; key: string }[] };

/** The runs of a world, each version by its entry and number. */
function comparedRuns(seed: number, faults: string[]) {
  const { steps, truth } = makeWorld({ seed, faults });
  const nameOf = (fact: { entity_path: string; key: string }, version: number) =>
    `${fact.entity_path}/${fact.key}@${version}`;
  const runs = (steps as SimulatedStep[])
    .filter(({ kind }) => kind === 'run')
    .map(({ at, failed, reads }) => ({
      failed,
      reads: reads.map((fact) => nameOf(fact, fact === truth.memory?.fact && at > truth.memory.since ? 2 : 1)),
    }));
  return { runs, wrong: truth.memory && nameOf(truth.memory.fact, 2) };
}

const seeds = Array.from({ length: 20 }, (_, at) => at + 1);

it('finds the planted memory among the other faults, in nine of ten worlds at least', () => {
  const found = seeds.filter((seed) => {
    const { runs, wrong } = comparedRuns(seed, ['memory', 'tool', 'release']);
    return suspects(runs)[0]?.name === wrong;
  });
  expect(found.length).toBeGreaterThanOrEqual(18);
});

it('blames no memory in worlds without faults, but for one in twenty', () => {
  const blamed = seeds.filter((seed) => suspects(comparedRuns(seed, []).runs).length > 0);
  expect(blamed.length).toBeLessThanOrEqual(1);
});

it('pauses often enough with 10,000 runs of 50 reads each', () => {
  const runs = Array.from({ length: 10_000 }, (_, at) => ({
    failed: at % 10 === 0,
    reads: Array.from({ length: 50 }, (_, no) => `fact-${(at * 31 + no * 977) % 5000}`),
  }));
  const steps = attributeFailures(runs, 50);
  let count = 0;
  while (!steps.next().done) count += 1;
  expect(count).toBeGreaterThanOrEqual(200);
});
