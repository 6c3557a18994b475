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

const where = (circumstances: string[], ...runs: ComparedRun[][]): ComparedRun[] =>
  runs.flat().map((one) => ({ ...one, circumstances }));

it('does not blame what is read where a tool fails, whatever is read', () => {
  const runs = [
    ...where(['pay'], repeat(9, run(true, 'limit')), repeat(9, run(false, 'limit')), repeat(6, run(true, 'policy'))),
    ...where(['pay'], repeat(6, run(false, 'policy'))),
    ...where(['look up'], repeat(50, run(false, 'owner'))),
  ];
  expect(suspects(runs).map(({ name, explained_by }) => [name, explained_by])).toEqual(
    expect.arrayContaining([['limit', { circumstance: 'pay' }]]),
  );
  expect(suspects(runs).every(({ explained_by }) => explained_by !== null)).toBe(true);
});

it('blames what makes runs call a tool, and say that they failed', () => {
  const runs = [
    ...where(['old pay', 'rejected'], repeat(20, run(true, 'wrong'))),
    ...where(['old pay'], repeat(4, run(false, 'wrong'))),
    ...where(['pay'], repeat(60, run(false, 'right'))),
    ...where(['pay', 'rejected'], repeat(4, run(true, 'right'))),
  ];
  expect(suspects(runs)).toMatchObject([{ name: 'wrong', explained_by: null }]);
});

it('does not blame what was new when something else began to fail, and blames what is wrong since it is there', () => {
  const timed = (...runs: ComparedRun[][]) => runs.flat().map((one, at) => ({ ...one, at }));
  const later = Array.from({ length: 60 }, (_, at) => run(at % 2 === 0, at % 4 < 2 ? 'new' : 'old'));
  const [suspect] = suspects(timed(repeat(80, run(false, 'old')), later));
  expect(suspect).toMatchObject({ explained_by: { since: 80 } });
  const mixed = Array.from({ length: 60 }, (_, at) => run(true, at % 2 === 0 ? 'wrong' : 'wrong too'));
  const both = suspects(timed(repeat(80, run(false, 'old')), mixed));
  expect(both.map(({ name, explained_by }) => [name, explained_by])).toEqual([
    ['wrong', null],
    ['wrong too', null],
  ]);
  const laterStill = suspects(
    timed(repeat(20, run(false, 'old')), repeat(8, run(true, 'wrong')), repeat(4, run(true, 'old'))),
  );
  expect(laterStill).toMatchObject([{ name: 'wrong', explained_by: null }]);
});

type SimulatedStep = {
  kind: string;
  at: number;
  agent: string;
  task: string;
  failed: boolean;
  reads: { entity_path: string; key: string }[];
  tools: { name: string; failed: boolean }[];
  attributes: Record<string, string>;
};

const isFailed = ({ failed }: SimulatedStep) => failed;
const hasFailedTool = ({ tools }: SimulatedStep) => tools.some(({ failed }) => failed);
const circumstancesOf = ({ agent, task, tools, attributes }: SimulatedStep): string[] => [
  ...tools.map(({ name }) => `tool_name ${name}`),
  ...Object.entries({ ...attributes, task }).map(([name, value]) => `${name} ${value}`),
  `agent_id ${agent}`,
];

type MadeRuns = { runs?: number; fails?: (step: SimulatedStep) => boolean };

/** The runs of a world, each version by its entry and number. */
function comparedRuns(seed: number, faults: string[], { runs: count = 240, fails = isFailed }: MadeRuns = {}) {
  const { steps, truth } = makeWorld({ seed, faults, runs: count });
  const nameOf = (fact: { entity_path: string; key: string }, version: number) =>
    `${fact.entity_path}/${fact.key}@${version}`;
  const runs = (steps as SimulatedStep[])
    .filter(({ kind }) => kind === 'run')
    .map((step) => ({ ...step, failed: fails(step), circumstances: circumstancesOf(step) }))
    .map(({ at, failed, circumstances, reads }) => ({
      ...{ at, failed, circumstances },
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

const WORLDS = [['memory'], ['tool'], ['release'], ['memory', 'tool', 'release']].flatMap((faults) => [
  { faults, by: 'outcome', fails: isFailed },
  { faults, by: 'failed tools', fails: hasFailedTool },
]);

it.each(WORLDS)(
  'with the faults $faults, failing by $by, blames other memory in one of ten worlds at most',
  (world) => {
    const blamed = seeds.filter((seed) => {
      const { runs, wrong } = comparedRuns(seed, world.faults, { runs: 400, fails: world.fails });
      // A tool fails whatever is read.
      const right = world.by === 'outcome' ? wrong : undefined;
      return suspects(runs).some(({ name, explained_by }) => explained_by === null && name !== right);
    });
    expect(blamed.length).toBeLessThanOrEqual(2);
  },
);

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
