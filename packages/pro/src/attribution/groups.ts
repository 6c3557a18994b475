import {
  Fault,
  type Input,
  invalidInput,
  listNamedTraces,
  MAX_ATTRIBUTED_RUNS,
  type ReadContext,
  readableRows,
  viewerOf,
} from '@mem-service/server/module';
import { type CollectedRuns, collectRuns, type TracedRun } from '../segments/index.ts';

type AttributionInput = Input<'failures.attribute'>;

/** How a group of failing runs can be named: each of these gives the failing runs and the passing ones. */
const NAMED_BY = ['judge_id', 'behavior_id', 'trace_ids', 'outcome_types'] as const;

/** The failing runs that are asked about, and the passing ones to compare them with. */
export async function groupOf(context: ReadContext, asked: AttributionInput): Promise<CollectedRuns> {
  const named = NAMED_BY.filter((name) => asked[name] !== undefined);
  if (named.length > 1) throw invalidInput([{ path: named[1] as string, message: `is given beside ${named[0]}` }]);
  const { agent_id, since, until, judge_id, behavior_id, trace_ids, outcome_types } = asked;
  const window = { agent_id, since, until };
  if (judge_id !== undefined || behavior_id !== undefined)
    return collectRuns(context, { ...window, judge_id, behavior_id }, MAX_ATTRIBUTED_RUNS);
  const collected = await collectRuns(context, window, MAX_ATTRIBUTED_RUNS);
  if (trace_ids !== undefined) return withFailing(collected, await tracesNamed(context, trace_ids));
  if (outcome_types === undefined) return collected;
  const failing = new Set<string | null>(outcome_types);
  const failedOf = (run: TracedRun) => (failing.has(run.outcome_type) ? true : run.failed === false ? false : null);
  return { ...collected, runs: collected.runs.map((run) => ({ ...run, failed: failedOf(run) })) };
}

/** These failed, whatever their outcome; others that failed are left out. */
function withFailing({ runs, isAll }: CollectedRuns, failing: readonly TracedRun[]): CollectedRuns {
  const named = new Set(failing.map(({ seq }) => seq));
  const others = runs.filter(({ seq, failed }) => !named.has(seq) && failed === false);
  return { runs: [...failing.toSorted((a, b) => b.seq - a.seq), ...others], isAll };
}

async function tracesNamed(context: ReadContext, traceIds: readonly string[]): Promise<TracedRun[]> {
  const { scan, dialect } = context;
  const ids = [...new Set(traceIds)];
  const found = await listNamedTraces(scan, { viewer: viewerOf(context), dialect }, ids);
  const traces = new Map((await readableRows(context, found)).map((trace) => [trace.trace_id, trace]));
  return ids.map((trace_id) => {
    const trace = traces.get(trace_id);
    if (!trace) throw new Fault('not_found', `there is no trace ${trace_id}`, { trace_id });
    return { ...trace, failed: true };
  });
}
