import { useMemo } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { type CausalEntry, stepsOf, type WholeTrace } from './steps.ts';

export type TraceOutcome = Output<'outcomes.list'>['outcomes'][number];
export type Affected = TraceOutcome['entries'][number];
export type ListedStaleRead = Output<'stale_reads.list'>['stale_reads'][number];
export type SealCheck = Output<'traces.verify'>;

const SECOND_MS = 1000;

/** A trace, and what else is known about it: its seal, its outcome, what had changed by then. */
export function useTrace(traceId: string) {
  const answer = useOperation('traces.read', { trace_id: traceId }, { keepPrevious: false });
  const trace = answer.data;
  const seal = useOperation('traces.verify', { trace_id: traceId }, { enabled: trace !== undefined });
  const ref = trace?.outcome_ref ?? '';
  const branch = trace?.branch ?? 'main';
  const outcomes = useOperation(
    'outcomes.list',
    { outcome_ref: ref, branch, agent_id: trace?.agent_id ?? '', limit: 50 },
    { enabled: ref !== '' },
  );
  const outcome = outcomes.data?.outcomes.find(({ trace_id }) => trace_id === traceId);
  const at = outcome === undefined ? 0 : Date.parse(outcome.committed_at);
  const stale = useOperation(
    'stale_reads.list',
    {
      ...{ agent_id: trace?.agent_id ?? '', branch, limit: 1000 },
      ...{ since: new Date(at).toISOString(), until: new Date(at + SECOND_MS).toISOString() },
    },
    { enabled: outcome !== undefined },
  );
  const staleReads = useMemo(
    () => stale.data?.stale_reads.filter(({ trace_id }) => trace_id === traceId) ?? [],
    [stale.data, traceId],
  );
  const steps = useMemo(() => trace && stepsOf(trace), [trace]);
  return { answer, steps, seal, outcome, staleReads };
}

export type TraceData = {
  trace: WholeTrace;
  outcome: TraceOutcome | undefined;
  staleReads: readonly ListedStaleRead[];
};

type ReadEntry = Pick<CausalEntry, 'entity_path' | 'key'>;
const isSame = (a: ReadEntry, b: ReadEntry) => a.entity_path === b.entity_path && a.key === b.key;

/** What the outcome did to an entry that was read, in the attempt that read it. */
export function affectedOf({ outcome, trace }: TraceData, read: CausalEntry): Affected | undefined {
  const about = outcome?.entries.filter((entry) => isSame(entry, read)) ?? [];
  const attempt = read.attempt < trace.attempts.length ? read.attempt + 1 : null;
  return about.find((entry) => entry.attempt === attempt) ?? about[0];
}

export const staleOf = (
  { staleReads }: Pick<TraceData, 'staleReads'>,
  read: CausalEntry,
): ListedStaleRead | undefined =>
  staleReads.find((stale) => isSame(stale, read) && stale.read_version === read.version);
