import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Dialect, fragment, type Query } from '../../packages/server/src/db/index.ts';
import type { TestApp } from '../support/app.ts';

type DumpedTable = { name: string; columns: string[]; blobs: Set<string> };

const SCHEMA = {
  sqlite: `SELECT m.name AS name, c.name AS column_name, c.type AS type FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`,
  postgres: `SELECT table_name AS name, column_name, '' AS type FROM information_schema.columns
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
  const rows = await scan.all<{ name: string; column_name: string; type: string }>(fragment(SCHEMA[engine]));
  const tables = new Map<string, DumpedTable>();
  for (const { name, column_name, type } of rows) {
    const table = tables.get(name) ?? { name, columns: [], blobs: new Set() };
    table.columns.push(column_name);
    // The numbers and blobs of the full-text index are larger than JavaScript's.
    if (type === 'BLOB' || /^(entry|trace|room_document)_words/.test(name)) table.blobs.add(column_name);
    tables.set(name, table);
  }
  return [...tables.values()];
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
    WHERE sessions.account_id = accounts.account_id)`,
};

/** The rows of a table as JSON. */
function selectRows({ name, columns, blobs }: DumpedTable, engine: Dialect['engine'], accountId?: string): string {
  const where = accountId === undefined ? '' : ` WHERE account_id = '${accountId}'`;
  const storedIn = (column: string) => WITHOUT_NOTES[`${name}.${column}`] ?? column;
  if (engine === 'postgres') {
    const picked = columns.map((column) => `${storedIn(column)} AS ${column}`).join(', ');
    return `SELECT '${name}' AS name, CAST(row_to_json(picked) AS text) AS row FROM (SELECT ${picked} FROM ${name}${where}) AS picked`;
  }
  const members = columns.map((column) => `'${column}', ${blobs.has(column) ? `quote(${column})` : storedIn(column)}`);
  return `SELECT '${name}' AS name, json_object(${members.join(', ')}) AS row FROM ${name}${where}`;
}

/** Every row of every table, or of one account where the table knows accounts; but not what was noted. In one statement. */
export async function dump(app: TestApp, accountId?: string): Promise<Dump> {
  const { database, noteBuffer } = app.kernel.services;
  await noteBuffer.flushAll();
  const { scan } = accountId === undefined ? database : database.forAccount(accountId);
  const all = await tablesOf(app, scan, accountId === undefined ? 'all' : 'account');
  const tables = accountId === undefined ? all : all.filter(({ columns }) => columns.includes('account_id'));
  const { engine } = database.dialect;
  const selects = tables.map((table) => selectRows(table, engine, accountId));
  const rows = await scan.all<{ name: string; row: string }>(fragment(selects.join(' UNION ALL ')));
  const found: Dump = Object.fromEntries(tables.map(({ name }) => [name, []]));
  for (const { name, row } of rows) {
    const kept = name in NOTES ? NOTES[name]?.(JSON.parse(row)) : row;
    if (kept !== undefined) found[name]?.push(typeof kept === 'string' ? kept : JSON.stringify(kept));
  }
  for (const lines of Object.values(found)) lines.sort();
  return found;
}

/** Waits until nothing changes any more: what happens in a room is reported to the accounts in it by what follows its log. */
export async function untilStill(app: TestApp, accountId?: string): Promise<void> {
  const untilQuiet = async () => {
    await sleep(20);
    await app.kernel.services.consumers.drain();
    return dump(app, accountId);
  };
  for (let last = await untilQuiet(), isStill = false; !isStill; ) {
    const next = await untilQuiet();
    isStill = isDeepStrictEqual(next, last);
    last = next;
  }
}

export const rowsOf = (found: Dump, table: string): Record<string, unknown>[] =>
  (found[table] ?? []).map((line) => JSON.parse(line));
