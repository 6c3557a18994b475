import { pause } from '@mem-service/server/module';
import { fitsPath, isFor, type JudgedTrace, judge, judgeInTurns, newMatchers } from '../evaluation/index.ts';
import { loadJudged, type TraceSource } from '../evaluation/load-traces.ts';
import { findLooks, type LookKey } from './looks.ts';
import type { BehaviorRow } from './queries.ts';
import { matcherIn } from './render.ts';
import { groupedBy } from './rules/grouped-by.ts';

/** What came of looking for a version of a behavior in a trace. */
export type NewLook = LookKey & { trace_id: string; result: 'match' | 'none' | 'unknown' };

type SoughtTrace = { seq: number; trace_id: string; agent_id: string };
type Seeking = { behaviors: readonly BehaviorRow[]; isStopping: () => boolean };

/** Looks for behaviors in those of the traces that they are for and in which they were not looked for yet. */
export async function matchTraces(
  source: TraceSource,
  traces: readonly SoughtTrace[],
  { behaviors, isStopping }: Seeking,
): Promise<NewLook[]> {
  const sought = behaviors.map((one) => ({ one, checks: matcherIn(one) }));
  const pairs = traces.flatMap(({ seq, agent_id }) =>
    sought
      .filter(({ one }) => one.for_agent === null || one.for_agent === agent_id)
      .map((some) => ({
        some,
        key: { behavior_id: some.one.behavior_id, behavior_version: some.one.version, trace_seq: seq },
      })),
  );
  const keys = pairs.map(({ key }) => key);
  const known = await findLooks(source.query, source.account_id, keys);
  const wanted = groupedBy(
    pairs.filter((_, i) => !known[i]),
    ({ key }) => key.trace_seq,
  );
  const found: NewLook[] = [];
  if (wanted.size === 0) return found;
  for await (const trace of loadJudged(source, [...wanted.keys()])) {
    for (const { some, key } of wanted.get(trace.seq) ?? []) {
      if (isStopping()) return found;
      const { for_agent, for_path } = some.one;
      if (!isFor({ agent_id: for_agent, entity_path: for_path }, trace, fitsPath)) continue;
      found.push({ ...key, trace_id: trace.trace_id, result: await lookFor(source.account_id, some.checks, trace) });
    }
    await pause();
  }
  return found;
}

const RESULTS = { pass: 'match', fail: 'none', skipped: 'unknown', error: 'unknown' } as const;

type BehaviorMatcher = ReturnType<typeof matcherIn>;

async function lookFor(accountId: string, checks: BehaviorMatcher, trace: JudgedTrace): Promise<NewLook['result']> {
  const { result } = await judgeInTurns(accountId, judge({ kind: 'code', checks }, trace, newMatchers()));
  return RESULTS[result];
}
