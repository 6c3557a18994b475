import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Dialect, fragment, joinSql, type Query, type Sql } from '../../packages/server/src/db/index.ts';
import type { TestApp } from '../support/app.ts';

type DumpedTable = { name: string; columns: string[]; blobs: Set<string> };

const SCHEMA = {
  sqlite: `SELECT m.name AS name, c.name AS column_name, c.type AS type FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`,
  postgres: `SELECT table_name AS name, column_name, '' AS type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name NOT LIKE 'words_of_%' ORDER BY 1, 2`,
};

/** The rows of a table as they were found last, and what shows whether they are still the same. */
type KnownRows = { mark: string; rows: string; lines: string[] };
type KnownStore = { version?: number | undefined; tables: DumpedTable[]; rows: Map<string, KnownRows> };

/** Of each app by account, and of the whole store. The tables do not change while an app is open. */
const knownStores = new WeakMap<TestApp, Map<string | undefined, KnownStore>>();

async function knownStoreOf(app: TestApp, scan: Query, accountId: string | undefined): Promise<KnownStore> {
  const stores = knownStores.get(app) ?? new Map<string | undefined, KnownStore>();
  knownStores.set(app, stores);
  const found = stores.get(accountId);
  if (found) return found;
  // A role may see more tables than another.
  const ofAnother = accountId === undefined ? undefined : [...stores].find(([id]) => id !== undefined)?.[1];
  const tables = ofAnother?.tables ?? (await readTables(app.kernel.services.database.dialect, scan));
  const isDumped = ({ columns }: DumpedTable) => accountId === undefined || columns.includes('account_id');
  const store: KnownStore = { tables: tables.filter(isDumped), rows: new Map() };
  stores.set(accountId, store);
  return store;
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

/** No text in JSON holds it. */
const SEPARATOR = '\u001f';

/**
 * A row version of PostgreSQL has a place and the number of the transaction that wrote it: where those of all rows are the
 * same, so are the rows. What is computed from other tables is read each time.
 */
function markOf({ name, columns }: DumpedTable): string {
  const isComputed = columns.some((column) => `${name}.${column}` in WITHOUT_NOTES);
  return isComputed
    ? 'max(CAST(NULL AS text))'
    : `CAST(count(*) AS text) || ' ' || sum(hashtextextended(concat(tableoid, ctid, xmin), 0))`;
}

/** The rows of a table as JSON, all in one text; on PostgreSQL only where their mark is not the one that is known. */
function selectRows(table: DumpedTable, engine: Dialect['engine'], { accountId, known }: SelectedRows): Sql {
  const { name, columns, blobs } = table;
  const where = accountId === undefined ? '' : ` WHERE account_id = '${accountId}'`;
  const storedIn = (column: string) => WITHOUT_NOTES[`${name}.${column}`] ?? column;
  if (engine === 'postgres') {
    const picked = columns.map((column) => `${storedIn(column)} AS ${column}`).join(', ');
    const rows = `SELECT string_agg(CAST(row_to_json(picked) AS text), chr(31)) FROM (SELECT ${picked} FROM ${name}${where}) AS picked`;
    const text = `SELECT '${name}' AS name, mark, CASE WHEN mark = ? THEN NULL ELSE (${rows}) END AS rows
      FROM (SELECT ${markOf(table)} AS mark FROM ${name}${where}) AS marked`;
    return { text, values: [known?.mark ?? ''] };
  }
  const members = columns.map((column) => `'${column}', ${blobs.has(column) ? `quote(${column})` : storedIn(column)}`);
  return fragment(
    `SELECT '${name}' AS name, NULL AS mark, group_concat(json_object(${members.join(', ')}), char(31)) AS rows FROM ${name}${where}`,
  );
}

type SelectedRows = { accountId: string | undefined; known: KnownRows | undefined };
type FoundRows = { name: string; mark: string | null; rows: string | null };

/** What is left of the rows of a table without what was noted, in order. */
function linesOf(name: string, rows: string): string[] {
  const all = rows === '' ? [] : rows.split(SEPARATOR);
  const withoutNotes = NOTES[name];
  const lines = withoutNotes ? all.flatMap((row) => JSON.stringify(withoutNotes(JSON.parse(row))) ?? []) : all;
  return lines.sort();
}

/** A number that is another one after each change by another connection; on PostgreSQL there is none. */
async function versionOf(engine: Dialect['engine'], scan: Query): Promise<number | undefined> {
  if (engine === 'postgres') return undefined;
  const found = await scan.get<{ data_version: number }>(fragment('SELECT data_version FROM pragma_data_version'));
  return found?.data_version;
}

/**
 * Every row of every table, or of one account where the table knows accounts; but not what was noted. In one statement. Tables
 * that did not change since the last time are the same lists.
 */
export async function dump(app: TestApp, accountId?: string): Promise<Dump> {
  const { database, noteBuffer } = app.kernel.services;
  await noteBuffer.flushAll();
  const { scan } = accountId === undefined ? database : database.forAccount(accountId);
  const { engine } = database.dialect;
  const store = await knownStoreOf(app, scan, accountId);
  const version = await versionOf(engine, scan);
  if (version === undefined || version !== store.version) {
    const selects = store.tables.map((table) =>
      selectRows(table, engine, { accountId, known: store.rows.get(table.name) }),
    );
    for (const found of await scan.all<FoundRows>(joinSql(selects, ' UNION ALL '))) keepRows(store, found);
    store.version = version;
  }
  return Object.fromEntries(store.tables.map(({ name }) => [name, store.rows.get(name)?.lines ?? []]));
}

function keepRows(store: KnownStore, { name, mark, rows }: FoundRows): void {
  const known = store.rows.get(name);
  const isSame = known !== undefined && (mark === null ? known.rows === (rows ?? '') : known.mark === mark);
  if (!isSame) store.rows.set(name, { mark: mark ?? '', rows: rows ?? '', lines: linesOf(name, rows ?? '') });
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

/** Rows whose numbers were not there before. */
export function newRowsOf(after: Dump, before: Dump, { table, number }: { table: string; number: string }) {
  const changedIn = (found: Dump, other: Dump): Record<string, unknown>[] => {
    const lines = new Set(other[table]);
    return (found[table] ?? []).flatMap((line) => (lines.has(line) ? [] : JSON.parse(line)));
  };
  const numbers = new Set(changedIn(before, after).map((row) => row[number]));
  return changedIn(after, before).filter((row) => !numbers.has(row[number]));
}
