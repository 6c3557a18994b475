import { Fault, type Input, type Output } from '@mem-service/contract';
import type { Database } from '../../db/index.ts';
import {
  accountGone,
  changed,
  controls,
  type Handlers,
  hashedBy,
  type Kernel,
  lists,
  looksAt,
  readAccount,
  SELF_HOSTED_ACCOUNT,
  toIso,
  toIsoOrNull,
  WHOLE_ACCOUNT,
} from '../../kernel/index.ts';
import { markUncompacted } from '../erasure/index.ts';
import { tell } from '../keys/index.ts';
import { exportLines } from '../transfer/index.ts';
import * as queries from './queries.ts';

/** Few enough that writes of other accounts do not wait long for their turn. */
const ROWS = 500;

/** The whole account; once the last line was taken, it may be deleted as it is. */
const exportWhole = lists<'accounts.export'>(async function* ({ services }, { account_id }) {
  const account = await readAccount(services.database.of(account_id).read, account_id);
  if (!account || account.deleted_at !== null) throw accountGone(account_id);
  let header: { seq: number; item_no: number } | undefined;
  for await (const line of exportLines(services, account_id)) {
    header ??= JSON.parse(line) as { seq: number; item_no: number };
    yield line;
  }
  const { seq, item_no } = header as { seq: number; item_no: number };
  await services.database.transaction((tx) => {
    tx.enter(account_id);
    return queries.noteExport(tx, account_id, { seq, item_no });
  });
});

const remove = controls<'accounts.delete'>(async ({ caller, services, work }, input) => {
  const { account_id } = input;
  const row = await queries.getEnd(services.database.of(account_id).read, account_id);
  if (!row) throw accountGone(account_id);
  if (row.deleted_at !== null) return toEnd(row);
  if (account_id === SELF_HOSTED_ACCOUNT)
    throw new Fault('conflict', 'this is the account of the service itself', { account_id });
  return work(account_id, async (work) => {
    const current = (await queries.getEnd(work.tx, account_id)) as queries.EndRow;
    checkExported(current, input);
    await queries.endAccount(work.tx, account_id, work.now);
    work.afterCommit(() => {
      services.keys.forgetAccount(account_id);
      services.meter?.forget(account_id);
    });
    tell(work, caller, { event_type: 'account_deleted', details: {} });
    const end = toEnd({ ...current, deleted_at: work.now });
    return changed(end, { resource: account_id, ...hashedBy(end) });
  });
});

function checkExported(row: queries.EndRow, { force, name }: Input<'accounts.delete'>): void {
  const { account_id } = row;
  if (force) {
    if (name === row.name) return;
    throw new Fault('conflict', 'to delete an account that was not exported, repeat its name as it is', { account_id });
  }
  if (row.exported_seq === row.seq && row.exported_item_no === row.item_no) return;
  const missing = row.exported_seq === null ? 'was not exported' : 'has changed since it was exported';
  const message = `the account ${missing}: suspend it, export it and delete it then, or force it`;
  throw new Fault('conflict', message, { account_id, seq: row.seq, exported_seq: row.exported_seq });
}

const toEnd = ({ account_id, deleted_at, purged_at }: queries.EndRow): Output<'accounts.delete'> => ({
  account_id,
  status: 'deleted',
  deleted_at: toIso(deleted_at ?? 0),
  purged_at: toIsoOrNull(purged_at),
});

/** What is left of deleted accounts goes table by table. What one process does not get to, the next does. */
export async function purge({ services }: Kernel, isStopping: () => boolean): Promise<void> {
  const { database, clock, tables } = services;
  const { engine } = database.dialect;
  const ended = await queries.listEnded(database.scan);
  const held = tables.filter(({ key }) => key.length > 0);
  for (const { account_id, number } of ended) {
    for (const table of held)
      for (let more = true; more; ) {
        if (isStopping()) return;
        const batch = { table, account_id, number, limit: ROWS };
        more = (await deleteBatch(database, batch)) === ROWS;
      }
    await database.transaction(async (tx) => {
      tx.enter(account_id);
      if (engine === 'sqlite') await markUncompacted(tx);
      await queries.setPurged(tx, account_id, clock.now());
    });
  }
  if (ended.length > 0 && engine === 'postgres')
    for (const table of held) await database.maintain(queries.freeRows(table));
}

/** What no request can take lines from, and housekeeping only from where the account has ended. */
const KEPT = new Set(['audit', 'usage_ledger']);

function deleteBatch(database: Database, batch: queries.Batch): Promise<number> {
  const { engine } = database.dialect;
  if (KEPT.has(batch.table.table)) return database.upkeep((tx) => queries.deleteSome(tx, engine, batch));
  return database.transaction((tx) => {
    tx.enter(batch.account_id);
    return queries.deleteSome(tx, engine, batch);
  });
}

export const endHandlers: Handlers = {
  'accounts.export': looksAt(() => WHOLE_ACCOUNT, exportWhole),
  'accounts.delete': remove,
};
