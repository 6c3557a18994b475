import { type Handlers, type Input, inTurns, type Output, type ReadContext, reads } from '@mem-service/server/module';
import { wilson } from '../evaluation/index.ts';
import { loadRuns } from './load-runs.ts';
import { comparedValues, compareSegments, countUncompared } from './rules/compare.ts';
import { cutRuns } from './rules/cut.ts';
import { dimensionsOf, isAboutPaths } from './rules/dimensions.ts';

/** Values of a dimension in a list of dimensions. */
const SHOWN_VALUES = 10;

/** How a run ended is no cause of that: it is cut by only where it is asked for. */
const isOutcome = (name: string): boolean => name === 'outcome_type';

export async function segmentsOf(
  context: ReadContext,
  input: Input<'segments.list'>,
): Promise<Output<'segments.list'>> {
  const { judge_id, behavior_id, agent_id, since, until, by, min_runs, limit } = input;
  const withPaths = by.length === 0 || by.some(isAboutPaths);
  const loaded = await loadRuns(context, { judge_id, behavior_id, agent_id, since, until, withPaths });
  const runs = loaded.runs.filter(({ failed }) => failed !== null);
  const failed = runs.filter((run) => run.failed).length;
  const usual = async () => (await inTurns(dimensionsOf(runs))).filter((name) => !isOutcome(name));
  const names = by.length === 0 ? await usual() : [...new Set(by)];
  const dimensions = await inTurns(cutRuns(runs, names, comparedValues(runs.length, min_runs)));
  const all = { runs: runs.length, failed, min_runs };
  const segments = await inTurns(compareSegments(dimensions, all));
  return {
    fails: wilson(failed, runs.length),
    segments: segments.slice(0, limit),
    compared: segments.length,
    not_compared: dimensions.reduce((sum, dimension) => sum + countUncompared(dimension, all), 0),
    looked_at: loaded.runs.length,
    complete: loaded.complete,
  };
}

const listDimensions = reads<'dimensions.list'>(async (context, input) => {
  const { runs, complete } = await loadRuns(context, { ...input, withPaths: true });
  const cut = await inTurns(cutRuns(runs, await inTurns(dimensionsOf(runs)), { most: SHOWN_VALUES }));
  const dimensions = cut.filter(({ values }) => values.length > 0);
  return {
    dimensions: dimensions.map(({ values, ...cutDimension }) => ({
      ...cutDimension,
      values: values.map(({ value, runs: ofValue }) => ({ value, runs: ofValue })),
    })),
    looked_at: runs.length,
    complete,
  };
});

export const handlers: Handlers = {
  'segments.list': reads<'segments.list'>(segmentsOf),
  'dimensions.list': listDimensions,
};
