import {
  type Consumer,
  type ConsumerContext,
  EVERYONE,
  listTracesBetween,
  MAIN_BRANCH,
  type Work,
} from '@mem-service/server/module';
import { getJudge, listActive } from '../judges/index.ts';
import { judgeTraces, type ParsedJudge, parseJudges, saveVerdicts } from '../verdicts/index.ts';
import { type BackfillRow, getBackfill, getRunning, upsertBackfills } from './queries.ts';

/** So many traces are judged and stored together: other writes wait no longer than for these. */
const TRACES_AT_ONCE = 200;

/** Goes on with the backfills of an account, one after the other, step by step; after a crash at the last step. */
export const runBackfills: Consumer = {
  name: 'backfills.run',
  event_types: ['backfill_started'],
  starts_at: 'now',
  gives_way_seconds: 2,
  async handle(context) {
    const { kernel, account_id, isStopping } = context;
    const { read } = kernel.services.database.forAccount(account_id);
    for (;;) {
      const backfill = await getRunning(read, account_id);
      if (!backfill || isStopping()) return;
      await advance(context, backfill);
    }
  },
};

async function judgesOf({ kernel, account_id }: ConsumerContext, { judge_id }: BackfillRow): Promise<ParsedJudge[]> {
  const { read } = kernel.services.database.forAccount(account_id);
  if (judge_id === null) return parseJudges(await listActive(read, account_id));
  const judge = await getJudge(read, account_id, judge_id);
  return judge ? parseJudges([judge]) : [];
}

async function advance(context: ConsumerContext, backfill: BackfillRow): Promise<void> {
  const { kernel, account_id, isStopping } = context;
  const { database } = kernel.services;
  const { scan } = database.forAccount(account_id);
  const { for_agent, next_seq, until_seq, sampling_rate } = backfill;
  const limit = Math.min(TRACES_AT_ONCE, backfill.max_traces - backfill.traces);
  const judges = await judgesOf(context, backfill);
  const traces =
    limit > 0 && judges.length > 0
      ? await listTracesBetween(scan, { account_id, agent_id: for_agent, from: next_seq, before: until_seq, limit })
      : [];
  const source = { query: scan, dialect: database.dialect, account_id };
  const found = await judgeTraces(source, traces, { judges, rateOf: () => sampling_rate, isStopping });
  if (isStopping()) return;
  const last = traces.length < limit || limit === 0 ? undefined : traces.at(-1);
  await context.step(async (work) => {
    // Another transaction may have cancelled it.
    const now = await getBackfill(work.tx, account_id, backfill.backfill_id);
    if (now?.status !== 'running') return;
    const saved = await saveVerdicts(work, found);
    const failed = saved.filter(({ result }) => result === 'fail').length;
    const after: BackfillRow = {
      ...now,
      next_seq: last ? last.seq + 1 : until_seq,
      traces: now.traces + traces.length,
      verdicts: now.verdicts + saved.length,
      failed: now.failed + failed,
    };
    work.send(work.tx.insertMany(upsertBackfills, [last ? after : ended(work, after, 'done')]));
  });
}

/** The state after the end, which the log reports. */
export function ended(work: Work, backfill: BackfillRow, status: 'done' | 'cancelled'): BackfillRow {
  const { backfill_id, traces, verdicts, failed, agent_id } = backfill;
  work.emit({
    event_type: 'backfill_ended',
    ...{ agent_id, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { backfill_id, status, traces, verdicts, failed },
  });
  return { ...backfill, status, ended_at: work.now };
}
