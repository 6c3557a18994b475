import { type Dialect, fragment, type Query } from '../../packages/server/src/db/index.ts';
import type { TestApp } from '../support/app.ts';

type DumpedTable = { name: string; columns: string[] };

const SCHEMA = {
  sqlite: `SELECT m.name AS name, c.name AS column_name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`,
  postgres: `SELECT table_name AS name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name NOT LIKE 'words_of_%' ORDER BY 1, 2`,
};

/** Those that the role may see which reads. They do not change while an app is open. */
const known = { account: new WeakMap<TestApp, DumpedTable[]>(), all: new WeakMap<TestApp, DumpedTable[]>() };

async function tablesOf(app: TestApp, scan: Query, of: keyof typeof known): Promise<DumpedTable[]> {
  const tables = known[of].get(app) ?? (await readTables(app.kernel.services.database.dialect, scan));
  known[of].set(app, tables);
  return tables;
}

async function readTables({ engine }: Dialect, scan: Query): Promise<DumpedTable[]> {
  const rows = await scan.all<{ name: string; column_name: string }>(fragment(SCHEMA[engine]));
  const tables = new Map<string, string[]>();
  for (const { name, column_name } of rows) tables.set(name, [...(tables.get(name) ?? []), column_name]);
  return [...tables].map(([name, columns]) => ({ name, columns }));
}

export type Dump = Record<string, string[]>;

/** What callers see is noted: in their sessions, in how often an entry was recalled, in who read what. */
const NOTES: Record<string, (row: Record<string, unknown>) => object | undefined> = {
  sessions: () => undefined,
  session_reads: () => undefined,
  session_items: () => undefined,
  usage_days: () => undefined,
  // Claims and cursors of consumers and maintenance change at any time.
  maintenance_tasks: () => undefined,
  consumers: () => undefined,
  consumer_cursors: () => undefined,
  standings: ({ recall_count: _, ...row }) => (row.line_seq === null && row.standing === null ? undefined : row),
  accounts: ({ item_no: _, open_sessions: _open, reader_notes: _notes, ...row }) => row,
  edges: (row) => (row.relation === 'read' || row.relation === 'learned_from' ? undefined : row),
};

/** The counters of an account follow its notes: what is left of them is what was stored on purpose. */
const WITHOUT_NOTES: Record<string, string> = {
  'accounts.storage_bytes': `storage_bytes - (SELECT coalesce(CAST(sum(bytes) AS BIGINT), 0) FROM sessions
    WHERE sessions.account_id = accounts.account_id) AS storage_bytes`,
};

/** Every row of every table, or of one account where the table knows accounts; but not what was noted. */
export async function dump(app: TestApp, accountId?: string): Promise<Dump> {
  const { database, noteBuffer } = app.kernel.services;
  await noteBuffer.flushAll();
  const { scan } = accountId === undefined ? database : database.forAccount(accountId);
  const found: Dump = {};
  for (const { name, columns } of await tablesOf(app, scan, accountId === undefined ? 'all' : 'account')) {
    if (accountId !== undefined && !columns.includes('account_id')) continue;
    const where = accountId === undefined ? '' : `WHERE account_id = '${accountId}'`;
    // The numbers and blobs of the full-text index are larger than JavaScript's.
    const isIndex = /^(entry|trace)_words/.test(name);
    const picked = columns.map((column) =>
      isIndex ? `quote(${column}) AS ${column}` : (WITHOUT_NOTES[`${name}.${column}`] ?? column),
    );
    const rows = await scan.all(fragment(`SELECT ${picked.join(', ')} FROM ${name} ${where}`));
    const kept = rows.flatMap((row) => NOTES[name]?.(row) ?? (name in NOTES ? [] : row));
    found[name] = kept.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

export const rowsOf = (found: Dump, table: string): Record<string, unknown>[] =>
  (found[table] ?? []).map((line) => JSON.parse(line));
