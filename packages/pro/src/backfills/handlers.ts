import {
  changed,
  cursorsOf,
  cutPage,
  Fault,
  fromIso,
  type Handlers,
  hashedBy,
  invalidInput,
  type Output,
  type Query,
  reads,
  seqAt,
  toIso,
  toIsoOrNull,
  unchanged,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { requireBehavior } from '../behaviors/index.ts';
import { authorOf, definitionIn, requireJudge } from '../judges/index.ts';
import { modelOf } from '../outside-model/index.ts';
import * as queries from './queries.ts';
import { ended } from './run.ts';
import { MAX_RUNNING, startBackfill } from './start.ts';

const toBackfill = (row: queries.BackfillRow): Output<'backfills.read'> => {
  const all = row.until_seq - row.from_seq;
  const isOver = row.status === 'done' || all <= 0;
  return {
    backfill_id: row.backfill_id,
    judge_id: row.judge_id,
    behavior_id: row.behavior_id,
    for_agent: row.for_agent,
    sampling_rate: row.sampling_rate,
    limit: row.max_traces,
    status: row.status as Output<'backfills.read'>['status'],
    reason: row.reason,
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
  const { account_id, tx } = work;
  const { judge_id, behavior_id, for_agent, since, until, limit, sampling_rate } = input;
  if (judge_id !== undefined && behavior_id !== undefined)
    throw invalidInput([
      { path: 'behavior_id', message: 'is given beside judge_id: one of them is looked for at a time' },
    ]);
  const definition = judge_id === undefined ? undefined : definitionIn(await requireJudge(tx, account_id, judge_id));
  if (definition?.kind === 'llm') modelOf(work.services, definition.model);
  if (behavior_id !== undefined) await requireBehavior(tx, account_id, behavior_id);
  const asked = {
    ...{ judge_id, behavior_id, for_agent, sampling_rate, max_traces: limit },
    asks_model: Number(definition?.kind === 'llm'),
    from_seq: since ? await seqAt(tx, account_id, fromIso(since)) : undefined,
    until_seq: until ? await seqAt(tx, account_id, fromIso(until)) : undefined,
  };
  const row = await startBackfill(work, asked, authorOf(input, caller));
  if (!row)
    throw new Fault('conflict', `${MAX_RUNNING} backfills wait already: try again when one has ended, or cancel one`);
  const answer = toBackfill(row);
  return changed(answer, { resource: row.backfill_id, ...hashedBy(answer) });
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

const list = reads<'backfills.list'>(async ({ read, caller, services }, { limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const rows = await queries.listBackfills(read, { account_id: caller.account_id, before, limit: limit + 1 });
  const found = withinPage(services, rows, ({ for_agent, agent_id }) => [for_agent, agent_id]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
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
