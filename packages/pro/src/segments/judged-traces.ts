import { findTraces, type ReadContext } from '@mem-service/server/module';
import { listResults, type ResultOfTrace } from '../verdicts/index.ts';
import type { RunPage, RunRange, RunsAsked, TracedRun } from './runs.ts';

/** The traces that a judge looked at, with what its newest version found. */
export async function judgedTraces(
  { scan, caller }: ReadContext,
  { judge_id = '', agent_id }: RunsAsked,
  range: RunRange,
): Promise<RunPage> {
  const { account_id } = caller;
  const results = await listResults(scan, { account_id, judge_id, ...range });
  const newest = newestOfEach(results);
  const traces = await findTraces(scan, account_id, [...newest.keys()]);
  const runs = traces.flatMap((trace): TracedRun[] => {
    if (!trace || (agent_id !== undefined && trace.agent_id !== agent_id)) return [];
    const result = newest.get(trace.seq);
    return [{ ...trace, failed: result === 'pass' || result === 'fail' ? result === 'fail' : null }];
  });
  return { runs, next: results.length < range.limit ? null : (results.at(-1)?.trace_seq ?? null) };
}

/** The list has the newest version of each trace first; where it is cut, older versions of the last one are left out. */
function newestOfEach(results: readonly ResultOfTrace[]): Map<number, string> {
  const newest = new Map<number, string>();
  for (const { trace_seq, result } of results) if (!newest.has(trace_seq)) newest.set(trace_seq, result);
  return newest;
}
