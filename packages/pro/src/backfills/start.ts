import { EVERYONE, MAIN_BRANCH, type Work } from '@mem-service/server/module';
import { type BackfillRow, countRows, deleteOldestEnded, upsertBackfills } from './queries.ts';

const MAX_KEPT = 200;
export const MAX_RUNNING = 10;
/** As many traces as a backfill looks at if nothing else is asked for. */
const MAX_TRACES = 1_000_000;

type AskedBackfill = {
  /** With neither, all judges that are active. */
  judge_id?: string | null | undefined;
  behavior_id?: string | null | undefined;
  for_agent?: string | null | undefined;
  from_seq?: number | undefined;
  until_seq?: number | undefined;
  sampling_rate?: number;
  max_traces?: number;
  /** 1 where the judge asks a model. */
  asks_model?: number;
};

/** Begins to look at traces of the past. Undefined where too many backfills wait already. */
export async function startBackfill(
  work: Work,
  asked: AskedBackfill,
  { agent_id, session }: { agent_id: string; session: string },
): Promise<BackfillRow | undefined> {
  const { account_id, tx, now } = work;
  const { n, running } = await countRows(tx, account_id);
  if (running >= MAX_RUNNING) return undefined;
  if (n >= MAX_KEPT) await deleteOldestEnded(tx, account_id);
  const { judge_id = null, behavior_id = null, for_agent = null, from_seq = 1 } = asked;
  const { until_seq = work.account.seq + 1, sampling_rate = 1, max_traces = MAX_TRACES, asks_model = 0 } = asked;
  const backfill_id = work.services.ids.next(now);
  const created_seq = work.emit({
    event_type: 'backfill_started',
    ...{ agent_id, session, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { backfill_id, judge_id, ...(behavior_id === null ? {} : { behavior_id }) },
  });
  const row: BackfillRow = {
    ...{ account_id, backfill_id, judge_id, behavior_id, for_agent, from_seq },
    ...{ until_seq: Math.max(from_seq, until_seq), next_seq: from_seq, sampling_rate, max_traces },
    ...{ status: 'running', reason: null, asks_model, traces: 0, verdicts: 0, failed: 0 },
    ...{ agent_id, created_seq, created_at: now, ended_at: null },
  };
  work.send(tx.insertMany(upsertBackfills, [row]));
  return row;
}
