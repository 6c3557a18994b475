import type { Engine, Query } from './database.ts';
import type { Ddl, MigrationStep } from './migration-order.ts';
import type { Sql } from './sql.ts';

/** By table, its columns; and the indexes with a name. */
export type StoreSchema = { tables: Map<string, Set<string>>; indexes: Set<string> };

const NAME = '"?(\\w+)"?';
const CREATE_TABLE = new RegExp(`^CREATE TABLE (?:IF NOT EXISTS )?${NAME} \\(([^]*)\\)[^)]*$`);
const CREATE_WORDS = new RegExp(`^CREATE VIRTUAL TABLE ${NAME} USING \\w+\\(`);
const CREATE_INDEX = new RegExp(`^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?${NAME} ON ${NAME}`);
const ADD_COLUMN = new RegExp(`^ALTER TABLE ${NAME} ADD COLUMN (?:IF NOT EXISTS )?${NAME}`);
const DROP_COLUMN = new RegExp(`^ALTER TABLE ${NAME} DROP COLUMN (?:IF EXISTS )?${NAME}`);
const RENAME_COLUMN = new RegExp(`^ALTER TABLE ${NAME} RENAME COLUMN ${NAME} TO ${NAME}`);
const RENAME = new RegExp(`^ALTER TABLE ${NAME} RENAME TO ${NAME}`);
const DROP = new RegExp(`^DROP (TABLE|INDEX) (?:IF EXISTS )?${NAME}`);
const CONSTRAINT = /^(PRIMARY|UNIQUE|CHECK|CONSTRAINT|FOREIGN)\b/;

/** The tables, columns and indexes that a store has after these migrations, as far as its statements say so. */
export function expectedSchema(steps: readonly MigrationStep[], ddl: Ddl): StoreSchema {
  const made: MadeSchema = { tables: new Map(), indexes: new Map() };
  for (const { up } of steps) for (const text of up(ddl)) follow(made, text.trim());
  return { tables: made.tables, indexes: new Set(made.indexes.keys()) };
}

/** Indexes with the table they belong to, and are dropped with. */
type MadeSchema = { tables: StoreSchema['tables']; indexes: Map<string, string> };

function follow({ tables, indexes }: MadeSchema, text: string): void {
  const [table, words, index, added, dropped, column, renamed, gone] = [
    CREATE_TABLE,
    CREATE_WORDS,
    CREATE_INDEX,
    ADD_COLUMN,
    DROP_COLUMN,
    RENAME_COLUMN,
    RENAME,
    DROP,
  ].map((form) => form.exec(text) as string[] | null);
  if (table) tables.set(nth(table, 1), new Set(columnsIn(nth(table, 2))));
  if (words) tables.set(nth(words, 1), new Set());
  if (index) indexes.set(nth(index, 1), nth(index, 2));
  if (added) tables.get(nth(added, 1))?.add(nth(added, 2));
  if (dropped) tables.get(nth(dropped, 1))?.delete(nth(dropped, 2));
  if (column) {
    tables.get(nth(column, 1))?.delete(nth(column, 2));
    tables.get(nth(column, 1))?.add(nth(column, 3));
  }
  if (renamed) {
    tables.set(nth(renamed, 2), tables.get(nth(renamed, 1)) ?? new Set());
    tables.delete(nth(renamed, 1));
    for (const [name, of] of indexes) if (of === renamed[1]) indexes.set(name, nth(renamed, 2));
  }
  if (gone?.[1] === 'INDEX') indexes.delete(nth(gone, 2));
  if (gone?.[1] === 'TABLE') {
    tables.delete(nth(gone, 2));
    for (const [name, of] of indexes) if (of === gone[2]) indexes.delete(name);
  }
}

const nth = (found: readonly string[], n: number): string => found[n] ?? '';

/** The first word of each part between commas, where that is no constraint. */
function columnsIn(body: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= body.length; i++) {
    if (body[i] === '(') depth++;
    if (body[i] === ')') depth--;
    if (i < body.length && (body[i] !== ',' || depth > 0)) continue;
    parts.push(body.slice(from, i).trim());
    from = i + 1;
  }
  return parts.filter((part) => part !== '' && !CONSTRAINT.test(part)).map((part) => part.split(/[\s"]+/)[0] as string);
}

type FoundColumn = { table_name: string; column_name: string | null };

const COLUMNS: Record<Engine, string> = {
  sqlite: `SELECT m.name AS table_name, c.name AS column_name
    FROM sqlite_master AS m LEFT JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'`,
  postgres: `SELECT CAST(c.relname AS text) AS table_name, CAST(a.attname AS text) AS column_name
    FROM pg_class AS c LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p')`,
};

const INDEXES: Record<Engine, string> = {
  sqlite: `SELECT name FROM sqlite_master WHERE type = 'index'`,
  postgres: `SELECT CAST(c.relname AS text) AS name FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('i', 'I')`,
};

const statement = (text: string): Sql => ({ text, values: [] });

export async function readSchema(query: Pick<Query, 'all'>, engine: Engine): Promise<StoreSchema> {
  const tables: StoreSchema['tables'] = new Map();
  for (const { table_name, column_name } of await query.all<FoundColumn>(statement(COLUMNS[engine]))) {
    const columns = tables.get(table_name) ?? new Set();
    if (column_name !== null) columns.add(column_name);
    tables.set(table_name, columns);
  }
  const indexes = await query.all<{ name: string }>(statement(INDEXES[engine]));
  return { tables, indexes: new Set(indexes.map(({ name }) => name)) };
}

/** What a store should have and does not, in words. */
export function missingParts(expected: StoreSchema, found: StoreSchema): string[] {
  const missing: string[] = [];
  for (const [table, columns] of expected.tables) {
    const there = found.tables.get(table);
    if (!there) missing.push(`the table ${table}`);
    else for (const column of columns) if (!there.has(column)) missing.push(`the column ${table}.${column}`);
  }
  for (const index of expected.indexes) if (!found.indexes.has(index)) missing.push(`the index ${index}`);
  return missing;
}

const MOST_NAMED = 5;

/** A few by name: a store may have lost many. */
export function nameParts(missing: readonly string[]): string {
  const named = missing.slice(0, MOST_NAMED).join(', ');
  return missing.length > MOST_NAMED ? `${named} and ${missing.length - MOST_NAMED} more` : named;
}
