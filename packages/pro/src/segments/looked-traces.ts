import { findTraces, type ReadContext } from '@mem-service/server/module';
import { listLooks } from '../behaviors/looks.ts';
import type { RunPage, RunRange, TracedRun } from './runs.ts';

/** A version of a behavior, and whether only the traces with it are asked for. */
export type LookedFor = {
  behavior_id: string;
  behavior_version: number;
  agent_id: string | undefined;
  isMatched: boolean;
};

const RESULTS: Readonly<Record<string, boolean>> = { match: true, none: false };

/** The traces in which a behavior was looked for; those that have it count as failing. */
export async function lookedTraces(
  { scan, caller }: ReadContext,
  { behavior_id, behavior_version, agent_id, isMatched }: LookedFor,
  range: RunRange,
): Promise<RunPage> {
  const { account_id } = caller;
  const looks = await listLooks(scan, { account_id, behavior_id, behavior_version, ...range }, isMatched);
  const wanted = agent_id === undefined ? looks : looks.filter((look) => look.agent_id === agent_id);
  const seqs = wanted.map(({ trace_seq }) => trace_seq);
  const traces = await findTraces(scan, account_id, seqs);
  const runs = wanted.flatMap(({ result }, i): TracedRun[] => {
    const trace = traces[i];
    return trace ? [{ ...trace, failed: RESULTS[result] ?? null }] : [];
  });
  return { runs, next: looks.length < range.limit ? null : (looks.at(-1)?.trace_seq ?? null) };
}
