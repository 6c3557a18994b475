import { type Database, fragment } from '../../packages/server/src/db/index.ts';
import {
  type Module,
  registryOf,
  type SharedTable,
  sharedTablesOf,
  type TenantTable,
} from '../../packages/server/src/kernel/index.ts';

/** Of tables; of what an index of words is made of, and of what the engine keeps for itself, nothing. */
const COLUMNS = {
  sqlite: `SELECT m.name AS name, c.name AS column_name, max(c.type = 'TEXT') AS is_text
    FROM pragma_table_list AS m, pragma_table_info(m.name) AS c
    WHERE m.schema = 'main' AND m.type IN ('table', 'virtual') AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'
    GROUP BY 1, 2 ORDER BY 1, 2`,
  postgres: `SELECT columns.table_name AS name, column_name, CASE WHEN data_type = 'text' THEN 1 ELSE 0 END AS is_text
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1, 2`,
};

export type SchemaColumn = { name: string; column_name: string; is_text: number };

/** The columns of all tables, as the migrations made them. */
export const columnsOf = (database: Database): Promise<SchemaColumn[]> =>
  database.scan.all<SchemaColumn>(fragment(COLUMNS[database.dialect.engine]));

/** Text columns that by their names may hold an agent's name. */
const AGENT =
  /agent|author|actor|user|owner|person|subject|principal|(?:review|writ|read|edit|send|receiv|creat|approv)[eo]r|recipient|assignee|_by$|visible_to/;
/** Text columns that by their names may hold the path or the key of an entry. */
const ENTRY = /path|key|entity|entry|entries/;

/** The order of migrations, which is there before any module. */
const MIGRATIONS = 'schema_migrations';

/** The problems of the declarations of tables, compared with the schema. */
export function declarationProblems(columns: readonly SchemaColumn[], modules: readonly Module[]): string[] {
  const { tables, wordIndexes } = registryOf(modules);
  const shared = sharedTablesOf(modules);
  const all = [...tables, ...shared];
  const declared = new Set([MIGRATIONS, ...all.map(({ table }) => table), ...wordIndexes.map(({ table }) => table)]);
  const there = new Set(columns.map(({ name }) => name));
  const tenant = new Set(columns.filter(({ column_name }) => column_name === 'account_id').map(({ name }) => name));
  return [
    ...[...there].filter((name) => !declared.has(name)).map((name) => `${name} is not declared`),
    ...all.filter(({ table }) => !there.has(table)).map(({ table }) => `${table} is declared and not there`),
    ...tables
      .filter(({ table }) => there.has(table) && !tenant.has(table))
      .map(({ table }) => `${table} has rows of accounts and no account_id`),
    ...shared
      .filter(({ table }) => tenant.has(table))
      .map(({ table }) => `${table} is shared and has rows of accounts`),
    ...all.flatMap((table) => columnProblems(table, columns)),
    ...modules.flatMap(ownerProblems),
  ];
}

function columnProblems(declared: TenantTable | SharedTable, columns: readonly SchemaColumn[]): string[] {
  const { table, unrelated = {} } = declared;
  const { agents = {}, entries = {} } = 'shared' in declared ? {} : declared;
  const known = { ...agents, ...entries, ...unrelated };
  const own = columns.filter(({ name }) => name === table);
  const names = new Set(own.map(({ column_name }) => column_name));
  const unsaid = own.filter(({ column_name, is_text }) => is_text && !(column_name in known));
  const missing = (pattern: RegExp, what: string) =>
    unsaid
      .filter(({ column_name }) => pattern.test(column_name))
      .map((one) => `${table}.${one.column_name} may hold ${what} and does not say what an erasure does to it`);
  return [
    ...missing(AGENT, 'the name of an agent'),
    ...missing(ENTRY, 'the name of an entry'),
    ...Object.keys(known)
      .filter((column) => !names.has(column))
      .map((column) => `${table}.${column} is declared and not there`),
  ];
}

/** A module that declares `by its owner` has to supply the function that does it. */
function ownerProblems({ name, tables = [], projections = [], wordIndexes = [], ...module }: Module): string[] {
  const agents = tables.flatMap((table) => Object.values(table.agents ?? {}));
  const entries = tables.flatMap((table) => Object.values(table.entries ?? {}));
  const own = new Set([
    ...tables.map(({ table }) => table),
    ...wordIndexes.flatMap(({ table, view }) => [table, view]),
  ]);
  return [
    ...(agents.some((one) => 'erased' in one && one.erased === 'by its owner') && !module.erasesAgent
      ? [`${name} erases no agent`]
      : []),
    ...(entries.includes('by its owner') && !module.erasesEntries && projections.length === 0
      ? [`${name} erases no entries`]
      : []),
    ...projections
      .flatMap((projection) => projection.tables)
      .filter((table) => !own.has(table))
      .map((table) => `${table} is filled by a projection of ${name} and not declared there`),
  ];
}
