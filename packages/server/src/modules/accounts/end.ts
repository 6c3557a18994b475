import { Fault, type Input, type Output } from '@mem-service/contract';
import type { Database } from '../../db/index.ts';
import {
  accountGone,
  changed,
  controls,
  deleteConsumed,
  type EndRow,
  endAccount,
  getEnd,
  type Handlers,
  hashedBy,
  type Kernel,
  type Lines,
  listEnded,
  lists,
  looksAt,
  noteExport,
  readAccount,
  requireAllModules,
  SELF_HOSTED_ACCOUNT,
  type Services,
  setPurged,
  toIso,
  toIsoOrNull,
  WHOLE_ACCOUNT,
} from '../../kernel/index.ts';
import { markUncompacted } from '../erasure/index.ts';
import { deleteKeys, emitKeyEvent } from '../keys/index.ts';
import { exportLines } from '../transfer/index.ts';
import * as queries from './queries.ts';

/** The size of a batch: small enough that writes of other accounts do not wait long. */
const ROWS = 500;

/** Exports the whole account; after the last line was sent, the account may be deleted in that state. */
const exportWhole = lists<'accounts.export'>(({ services }, { account_id }) => {
  requireAllModules(services);
  return wholeLines(services, account_id);
});

async function* wholeLines(services: Services, account_id: string): Lines {
  const account = await readAccount(services.database.forAccount(account_id).read, account_id);
  if (!account || account.deleted_at !== null) throw accountGone(account_id);
  let header: { seq: number; item_no: number } | undefined;
  for await (const line of exportLines(services, account_id)) {
    header ??= JSON.parse(line) as { seq: number; item_no: number };
    yield line;
  }
  const { seq, item_no } = header as { seq: number; item_no: number };
  await services.database.transaction((tx) => {
    tx.enter(account_id);
    return noteExport(tx, account_id, { seq, item_no });
  });
}

const remove = controls<'accounts.delete'>(async ({ caller, services, work }, input) => {
  const { account_id } = input;
  const row = await getEnd(services.database.forAccount(account_id).read, account_id);
  if (!row) throw accountGone(account_id);
  if (row.deleted_at !== null) return toEnd(row);
  requireAllModules(services);
  if (account_id === SELF_HOSTED_ACCOUNT)
    throw new Fault('conflict', 'this is the account of the service itself', { account_id });
  return work(account_id, async (work) => {
    const current = (await getEnd(work.tx, account_id)) as EndRow;
    checkExported(current, input);
    await deleteKeys(work.tx, account_id);
    await endAccount(work.tx, account_id, work.now);
    work.afterCommit(() => {
      services.keys.invalidateAccount(account_id);
      services.meter?.dropAccount(account_id);
      services.roomOwners?.dropAccount(account_id);
    });
    emitKeyEvent(work, caller, { event_type: 'account_deleted', details: {} });
    const end = toEnd({ ...current, deleted_at: work.now });
    return changed(end, { resource: account_id, ...hashedBy(end) });
  });
});

function checkExported(row: EndRow, { force, name }: Input<'accounts.delete'>): void {
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

const toEnd = ({ account_id, deleted_at, purged_at }: EndRow): Output<'accounts.delete'> => ({
  account_id,
  status: 'deleted',
  deleted_at: toIso(deleted_at ?? 0),
  purged_at: toIsoOrNull(purged_at),
});

/**
 * Takes deleted accounts out of what they share with others, and deletes their rows table by table. A later run continues where
 * this one stops.
 */
export async function purge(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const { services } = kernel;
  const { database, clock, tables, wordIndexes } = services;
  const { engine } = database.dialect;
  const ended = await listEnded(database.scan);
  if (ended.length > 0) requireAllModules(services);
  const held = tables.filter(({ key }) => key.length > 0);
  for (const { account_id, number } of ended) {
    for (const leave of services.leavesShared) {
      if (isStopping()) return;
      await leave(kernel, account_id, isStopping);
    }
    const parts = [
      ...wordIndexes
        .filter(({ apart }) => !apart)
        .map((index) => () => deleteWords(database, { index, number, limit: ROWS })),
      ...held.map((table) => () => deleteBatch(database, { table, account_id, limit: ROWS })),
    ];
    for (const deletePart of parts)
      for (let more = true; more; ) {
        if (isStopping()) return;
        more = (await deletePart()) === ROWS;
      }
    await database.transaction(async (tx) => {
      tx.enter(account_id);
      if (engine === 'sqlite') await markUncompacted(tx);
      await setPurged(tx, account_id, clock.now());
      // Consumers may have come back since their tables were emptied; from here on they find the account purged.
      await deleteConsumed(tx, account_id);
    });
  }
  if (ended.length > 0 && engine === 'postgres')
    for (const table of held) await database.maintain(queries.freeRows(table));
}

const deleteWords = (database: Database, batch: queries.WordBatch): Promise<number> =>
  database.transaction((tx) => queries.deleteSomeWords(tx, database.dialect.engine, batch));

/** Append-only rows can be deleted only by maintenance, and only where the account has ended. */
function deleteBatch(database: Database, batch: queries.PurgeBatch): Promise<number> {
  if (batch.table.rights?.ended_accounts_only)
    return database.maintenanceTransaction((tx) => queries.deleteSome(tx, batch));
  return database.transaction((tx) => {
    tx.enter(batch.account_id);
    return queries.deleteSome(tx, batch);
  });
}

export const endHandlers: Handlers = {
  'accounts.export': looksAt(() => WHOLE_ACCOUNT, exportWhole),
  'accounts.delete': remove,
};
