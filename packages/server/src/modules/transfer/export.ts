import type { Row, Snapshot } from '../../db/index.ts';
import {
  type ExportedTable,
  isExported,
  type Lines,
  lists,
  readAccount,
  requireAllModules,
  type Services,
} from '../../kernel/index.ts';
import { exportEntries } from './export-entries.ts';
import { countRows, listRows } from './queries.ts';
import { type ExportHeader, FORMAT, FORMAT_VERSION, recordText } from './rules/format.ts';

/** How many rows, and bytes of them, are in memory at once. */
const ROWS_PER_PAGE = 200;
const BYTES_PER_PAGE = 1024 * 1024;

export const exportedTables = ({ tables }: Services): readonly ExportedTable[] => tables.filter(isExported);

/** Notes are flushed to the store before the export starts. */
export const exportAccount = lists<'transfer.export'>(({ caller, services, view }, { branch }) => {
  if (branch !== undefined) return exportEntries(services.database, view, branch);
  requireAllModules(services);
  return exportLines(services, caller.account_id);
});

/** A header, then every record, from one snapshot of the account. */
export async function* exportLines(services: Services, account_id: string): Lines {
  const tables = exportedTables(services);
  const snapshot = await services.database.snapshot(account_id);
  try {
    yield JSON.stringify(await headerOf(snapshot, account_id, tables));
    for (const table of tables)
      for (let after: Row | undefined; ; ) {
        const page = { account_id, after, limit: ROWS_PER_PAGE, bytes: BYTES_PER_PAGE };
        const { rows, more } = await listRows(snapshot, table, page);
        for (const row of rows) yield recordText(table, row);
        if (!more && rows.length < ROWS_PER_PAGE) break;
        after = rows.at(-1);
      }
  } finally {
    await snapshot.close();
  }
}

async function headerOf(
  snapshot: Snapshot,
  accountId: string,
  tables: readonly ExportedTable[],
): Promise<ExportHeader> {
  const account = await readAccount(snapshot, accountId);
  if (!account) throw new Error(`account ${accountId} has no row`);
  const { seq, audit_no, audit_hash, item_no, last_at } = account;
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table.kind] = await countRows(snapshot, accountId, table);
  return {
    record: 'header',
    format: FORMAT,
    version: FORMAT_VERSION,
    seq,
    audit_no,
    audit_hash,
    item_no,
    last_at,
    counts,
  };
}
