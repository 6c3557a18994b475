import { MAX_SEGMENTED_RUNS, pause, type ReadContext } from '@mem-service/server/module';
import { loadFacets } from '../trace-navigation/index.ts';
import { readsOfRuns } from './reads-of-runs.ts';
import type { CutRun } from './rules/dimensions.ts';
import { collectRuns, type RunsAsked, type TracedRun } from './runs.ts';

const FACETS_AT_ONCE = 250;
/** Reads of all runs together whose paths are looked at. */
const MAX_READS = 100_000;

const READS_PER_STEP = 1000;

/** Runs with all that they can be cut by; `complete` says whether there are no others. */
export type LoadedRuns = { runs: CutRun[]; complete: boolean };

export async function loadRuns(context: ReadContext, asked: RunsAsked & { withPaths: boolean }): Promise<LoadedRuns> {
  const { scan: query, dialect, caller } = context;
  const { runs, isAll } = await collectRuns(context, asked, MAX_SEGMENTED_RUNS);
  const paths: KnownPaths = asked.withPaths ? await pathsOf(context, runs) : { ofRun: new Map(), done: runs.length };
  // A run whose reads were not loaded would count as one that read nothing.
  const known = runs.slice(0, paths.done);
  const loaded: CutRun[] = [];
  for (let at = 0; at < known.length; at += FACETS_AT_ONCE) {
    const some = known.slice(at, at + FACETS_AT_ONCE);
    const seqs = some.map(({ seq }) => seq);
    const facets = await loadFacets({ query, dialect, account_id: caller.account_id }, seqs);
    for (const { seq, failed, agent_id, branch, outcome_type, created_at } of some) {
      const facts = facets.get(seq);
      if (!facts) continue;
      const { models, tools, has_error, attributes } = facts;
      const own = { failed, agent_id, branch, outcome_type, created_at };
      loaded.push({ ...own, models, tools, has_error, attributes, paths: [...(paths.ofRun.get(seq) ?? [])] });
    }
    await pause();
  }
  return { runs: loaded, complete: isAll && loaded.length === runs.length };
}

type KnownPaths = { ofRun: ReadonlyMap<number, ReadonlySet<string>>; done: number };

async function pathsOf(context: ReadContext, runs: readonly TracedRun[]): Promise<KnownPaths> {
  const seqs = runs.map(({ seq }) => seq);
  const { parts, done } = await readsOfRuns(context, seqs, MAX_READS);
  const ofRun = new Map<number, Set<string>>();
  for (const [i, { seq, entity_path }] of parts.entries()) {
    if (i % READS_PER_STEP === 0) await pause();
    const known = ofRun.get(seq);
    if (known) known.add(entity_path);
    else ofRun.set(seq, new Set([entity_path]));
  }
  return { ofRun, done };
}
