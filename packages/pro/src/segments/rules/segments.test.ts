import { expect, it } from 'vitest';
import { comparedValues, compareSegments, countUncompared } from './compare.ts';
import { cutRuns } from './cut.ts';
import { type CutRun, dimensionsOf } from './dimensions.ts';

function finished<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const run = (failed: boolean, more: Partial<CutRun> = {}): CutRun => ({
  ...{ failed, agent_id: 'agent/a', branch: 'main', outcome_type: failed ? 'failure' : 'success' },
  ...{ created_at: Date.parse('2026-03-02T08:00:00Z'), models: [], tools: [], has_error: false },
  ...{ attributes: {}, paths: [] },
  ...more,
});
const repeat = (n: number, one: CutRun): CutRun[] => Array.from({ length: n }, () => one);
const compared = (runs: CutRun[], by: string[], min_runs = 5) =>
  finished(
    compareSegments(finished(cutRuns(runs, by, comparedValues(runs.length, min_runs))), {
      ...{ runs: runs.length, failed: runs.filter(({ failed }) => failed).length, min_runs },
    }),
  );

it('cuts by what runs have: times in UTC, several values of one run, and values apart by their types', () => {
  const at = Date.parse('2026-03-01T23:30:00Z');
  const runs = [
    run(true, { created_at: at, models: ['small', 'large'], attributes: { tier: 1 } }),
    run(false, { created_at: at, models: ['small'], attributes: { tier: '1', note: null } }),
  ];
  const names = ['day', 'weekday', 'hour_of_day', 'model', 'attributes.tier', 'attributes.note'];
  const cut = finished(cutRuns(runs, names, { most: 10 }));
  expect(cut.map(({ name, runs: having, values }) => [name, having, values])).toEqual([
    ['day', 2, [{ value: '2026-03-01', runs: 2, failed: 1 }]],
    ['weekday', 2, [{ value: 'Sunday', runs: 2, failed: 1 }]],
    ['hour_of_day', 2, [{ value: 23, runs: 2, failed: 1 }]],
    [
      'model',
      2,
      [
        { value: 'small', runs: 2, failed: 1 },
        { value: 'large', runs: 1, failed: 1 },
      ],
    ],
    ['attributes.tier', 2, expect.arrayContaining([{ value: 1, runs: 1, failed: 1 }])],
    ['attributes.note', 0, []],
  ]);
  expect(finished(dimensionsOf(runs))).toEqual(expect.arrayContaining(['path', 'attributes.tier', 'attributes.note']));
});

it('names the segment that fails more often than the others, with intervals', () => {
  const runs = [
    ...repeat(30, run(true, { attributes: { release: '2.0' } })),
    ...repeat(20, run(false, { attributes: { release: '2.0' } })),
    ...repeat(5, run(true, { attributes: { release: '1.9' } })),
    ...repeat(95, run(false, { attributes: { release: '1.9' } })),
  ];
  const [worse, ...rest] = compared(runs, ['attributes.release', 'agent_id']);
  expect(worse).toMatchObject({ value: '2.0', differs: 'worse', fails: { count: 30, of: 50 }, rest: { of: 100 } });
  expect(worse?.low).toBeGreaterThan(0.3);
  expect(worse?.fails.low).toBeGreaterThan(0.45);
  // The other release is its rest, and all runs are of one agent: there is nothing to compare with.
  expect(rest).toEqual([]);
});

it('takes one of many segments that stands out a little for chance', () => {
  // Each shard fails in two or three of 25 runs, one of them in seven.
  const runs = Array.from({ length: 1000 }, (_, at) => {
    const [shard, round] = [at % 40, Math.floor(at / 40)];
    return run(shard === 5 ? round < 7 : (shard + round) % 10 === 0, { attributes: { shard } });
  });
  const found = compared(runs, ['attributes.shard']);
  expect(found).toHaveLength(40);
  expect(found[0]).toMatchObject({ value: 5, fails: { count: 7, of: 25 }, differs: null });
  expect(found[0]?.p).toBeLessThan(0.02);
  expect(found[0]?.adjusted_p).toBeGreaterThan(0.2);
});

it('lists both of two values where some runs have neither, or both', () => {
  const tools = (...names: string[]) => run(false, { tools: names });
  const divided = [...repeat(10, tools('pay')), ...repeat(10, tools('check'))];
  expect(compared(divided, ['tool_name'])).toHaveLength(1);
  expect(compared([...divided, tools()], ['tool_name'])).toHaveLength(2);
  expect(compared([...divided, tools('pay', 'check'), tools()], ['tool_name'])).toHaveLength(2);
});

it('leaves out segments of few runs', () => {
  const runs = [...repeat(4, run(true, { branch: 'try' })), ...repeat(50, run(false))];
  expect(compared(runs, ['branch'])).toEqual([]);
  expect(compared(runs, ['branch'], 4)).toMatchObject([{ value: 'try', differs: 'worse' }]);
});

it('counts what is compared with nothing, but neither of two that are compared with each other', () => {
  const uncompared = (few: number) => {
    const runs = [...repeat(7, run(false, { branch: 'many' })), ...repeat(few, run(true, { branch: 'few' }))];
    const [dimension] = finished(cutRuns(runs, ['branch'], comparedValues(runs.length, 3)));
    return dimension && countUncompared(dimension, { runs: runs.length, failed: few, min_runs: 3 });
  };
  expect([uncompared(0), uncompared(2), uncompared(3)]).toEqual([1, 2, 0]);
});

it('of very many values it keeps those of the most runs, and counts the others', () => {
  const runs = Array.from({ length: 300 }, (_, no) =>
    run(no % 2 === 0, { tools: ['pay', `odd-${no % 2}`, ...Array.from({ length: 30 }, (_, k) => `t${no}-${k}`)] }),
  );
  const cutting = cutRuns(runs, ['tool_name'], { most: 3 });
  let steps = 0;
  let step = cutting.next();
  for (; !step.done; step = cutting.next()) steps++;
  expect(step.value).toEqual([
    {
      ...{ name: 'tool_name', runs: 300, value_count: 9003 },
      values: [
        { value: 'pay', runs: 300, failed: 150 },
        { value: 'odd-0', runs: 150, failed: 150 },
        { value: 'odd-1', runs: 150, failed: 0 },
      ],
    },
  ]);
  // Ten runs or a thousand values are one.
  expect(steps).toBe(30 + 10);
});
