import {
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  Fault,
  fromIso,
  type Handlers,
  hashedBy,
  MAIN_BRANCH,
  type Output,
  type Query,
  reads,
  seqAt,
  toIso,
  toIsoOrNull,
  unchanged,
  writes,
} from '@mem-service/server/module';
import { authorOf, requireJudge } from '../judges/index.ts';
import * as queries from './queries.ts';
import { ended } from './run.ts';

const MAX_KEPT = 200;
const MAX_RUNNING = 10;

const toBackfill = (row: queries.BackfillRow): Output<'backfills.read'> => {
  const all = row.until_seq - row.from_seq;
  const isOver = row.status === 'done' || all <= 0;
  return {
    backfill_id: row.backfill_id,
    judge_id: row.judge_id,
    for_agent: row.for_agent,
    sampling_rate: row.sampling_rate,
    limit: row.max_traces,
    status: row.status as Output<'backfills.read'>['status'],
    progress: isOver ? 1 : Math.floor(((row.next_seq - row.from_seq) / all) * 1000) / 1000,
    traces: row.traces,
    verdicts: row.verdicts,
    failed: row.failed,
    agent_id: row.agent_id,
    created_at: toIso(row.created_at),
    ended_at: toIsoOrNull(row.ended_at),
  };
};

const create = writes<'backfills.create'>(async (work, { input, caller }) => {
  const { account_id, tx, now } = work;
  const { judge_id = null, for_agent = null, since, until, limit, sampling_rate } = input;
  if (judge_id !== null) await requireJudge(tx, account_id, judge_id);
  const { n, running } = await queries.countRows(tx, account_id);
  if (running >= MAX_RUNNING)
    throw new Fault('conflict', `${running} backfills wait already: try again when one has ended, or cancel one`);
  if (n >= MAX_KEPT) await queries.deleteOldestEnded(tx, account_id);
  const from_seq = since ? await seqAt(tx, account_id, fromIso(since)) : 1;
  const until_seq = until ? await seqAt(tx, account_id, fromIso(until)) : work.account.seq + 1;
  const { agent_id, session } = authorOf(input, caller);
  const backfill_id = work.services.ids.next(now);
  const created_seq = work.emit({
    event_type: 'backfill_started',
    ...{ agent_id, session, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { backfill_id, judge_id },
  });
  const row: queries.BackfillRow = {
    ...{ account_id, backfill_id, judge_id, for_agent, from_seq, until_seq: Math.max(from_seq, until_seq) },
    ...{ next_seq: from_seq, sampling_rate, max_traces: limit, status: 'running', traces: 0, verdicts: 0, failed: 0 },
    ...{ agent_id, created_seq, created_at: now, ended_at: null },
  };
  work.send(tx.insertMany(queries.upsertBackfills, [row]));
  const answer = toBackfill(row);
  return changed(answer, { resource: backfill_id, ...hashedBy(answer) });
});

async function requireBackfill(query: Query, accountId: string, id: string): Promise<queries.BackfillRow> {
  const row = await queries.getBackfill(query, accountId, id);
  if (!row) throw new Fault('not_found', `there is no backfill ${id}`, { backfill_id: id });
  return row;
}

const cancel = writes<'backfills.cancel'>(async (work, { input }) => {
  const row = await requireBackfill(work.tx, work.account_id, input.backfill_id);
  if (row.status !== 'running') return unchanged(toBackfill(row));
  const after = ended(work, row, 'cancelled');
  work.send(work.tx.insertMany(queries.upsertBackfills, [after]));
  const answer = toBackfill(after);
  return changed(answer, { resource: row.backfill_id, ...hashedBy(answer) });
});

const cursors = cursorsOf('backfills', ['number']);

const list = reads<'backfills.list'>(async ({ read, caller }, { limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const rows = await queries.listBackfills(read, { account_id: caller.account_id, before, limit: limit + 1 });
  const { items, ...page } = cutPage(rows, limit, (row) => cursors.to([row.created_seq]));
  return { backfills: items.map(toBackfill), ...page };
});

const readOne = reads<'backfills.read'>(async ({ read, caller }, { backfill_id }) =>
  toBackfill(await requireBackfill(read, caller.account_id, backfill_id)),
);

export const handlers: Handlers = {
  'backfills.create': create,
  'backfills.cancel': cancel,
  'backfills.list': list,
  'backfills.read': readOne,
};
