import { type Dialect, type Query, wholeTraces } from '@mem-service/server/module';
import { type JudgedTrace, judgedTraceOf } from './rules/judged-trace.ts';

/** As much of a trace is judged, and so much of several is in memory at a time. */
const MAX_JUDGED_BYTES = 4 * 1024 * 1024;

/** `bytes` is the most of a trace that is looked at, where it is less than usual. */
export type TraceSource = { query: Query; dialect: Dialect; account_id: string; bytes?: number };

/** Traces by number as judges see them, oldest first. Those that are gone are left out. */
export async function* loadJudged(
  { query, dialect, account_id, bytes = MAX_JUDGED_BYTES }: TraceSource,
  seqs: readonly number[],
): AsyncGenerator<JudgedTrace, void, undefined> {
  for await (const trace of wholeTraces({ query, dialect }, { account_id, seqs, bytes })) yield judgedTraceOf(trace);
}

export async function loadOneJudged(source: TraceSource, seq: number): Promise<JudgedTrace | undefined> {
  for await (const trace of loadJudged(source, [seq])) return trace;
  return undefined;
}
