import { type Dialect, type Query, wholeTraces } from '@mem-service/server/module';
import { type JudgedTrace, judgedTraceOf } from './rules/judged-trace.ts';

/** As much of a trace is judged, and so much of several is in memory at a time. */
const MAX_JUDGED_BYTES = 4 * 1024 * 1024;

export type TraceSource = { query: Query; dialect: Dialect; account_id: string };

/** Traces by number as judges see them, oldest first. Those that are gone are left out. */
export async function* loadJudged(
  { query, dialect, account_id }: TraceSource,
  seqs: readonly number[],
): AsyncGenerator<JudgedTrace, void, undefined> {
  for await (const trace of wholeTraces({ query, dialect }, { account_id, seqs, bytes: MAX_JUDGED_BYTES }))
    yield judgedTraceOf(trace);
}

export async function loadOneJudged(source: TraceSource, seq: number): Promise<JudgedTrace | undefined> {
  for await (const trace of loadJudged(source, [seq])) return trace;
  return undefined;
}
