import { inTurns, pause, type ReadContext } from '@mem-service/server/module';
import { type CutRun, dimensionsOf, valuesIn } from '../segments/index.ts';
import { loadFacets } from '../trace-navigation/index.ts';
import type { RunWithReads } from './read-sets.ts';

/** What runs have in common beside the memory that they read, as segments are cut. */
export type RunCircumstance = { dimension: string; value: string | number | boolean };

const FACETS_AT_ONCE = 250;
/** How a run ended and what it read is none, and time is compared by itself. */
const isCircumstance = (dimension: string): boolean =>
  ['tool_name', 'model', 'agent_id'].includes(dimension) || dimension.startsWith('attributes.');
/** Of two that the very same runs have the first is named: what was done comes before what it is called. */
const isDone = (dimension: string): boolean => dimension === 'tool_name';

export const circumstanceIn = (name: string): RunCircumstance => {
  const [dimension, value] = JSON.parse(name) as [string, RunCircumstance['value']];
  return { dimension, value };
};

/** By name, for each of the runs; none where a trace is not indexed yet. */
export async function loadCircumstances(context: ReadContext, sets: readonly RunWithReads[]): Promise<string[][]> {
  const { scan: query, dialect, caller } = context;
  const cut: (CutRun | undefined)[] = [];
  for (let at = 0; at < sets.length; at += FACETS_AT_ONCE) {
    const some = sets.slice(at, at + FACETS_AT_ONCE).map(({ run }) => run);
    const seqs = some.map(({ seq }) => seq);
    const facets = await loadFacets({ query, dialect, account_id: caller.account_id }, seqs);
    for (const run of some) {
      const facts = facets.get(run.seq);
      cut.push(facts && { ...run, ...facts, paths: [] });
    }
    await pause();
  }
  const known = cut.flatMap((run) => run ?? []);
  const dimensions = (await inTurns(dimensionsOf(known)))
    .filter(isCircumstance)
    .sort((one, other) => Number(isDone(other)) - Number(isDone(one)));
  return cut.map((run) =>
    run === undefined
      ? []
      : dimensions.flatMap((dimension) => valuesIn(dimension, run).map((value) => JSON.stringify([dimension, value]))),
  );
}
