import { type Database, fragment } from '../../packages/server/src/db/index.ts';
import { type Module, registryOf, type TenantTable } from '../../packages/server/src/kernel/index.ts';

const COLUMNS = {
  sqlite: `SELECT m.name AS name, c.name AS column_name, 1 - max(c."notnull", c.pk > 0) AS nullable
    FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' GROUP BY 1, 2 ORDER BY 1, 2`,
  postgres: `SELECT columns.table_name AS name, column_name, CASE WHEN is_nullable = 'YES' THEN 1 ELSE 0 END AS nullable
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1, 2`,
};

export type SchemaColumn = { name: string; column_name: string; nullable: number };

/** The columns of all tables, as the migrations made them. */
export const columnsOf = (database: Database): Promise<SchemaColumn[]> =>
  database.scan.all<SchemaColumn>(fragment(COLUMNS[database.dialect.engine]));

/** Columns that by their names hold an agent's name. */
const AGENT = /(?:^|_)agents?(?:_id)?$|^visible_to$|^(?:written|created|updated|read|changed)_by$|^author(?:_id)?$/;
/** Columns that by their names hold the path or the key of an entry. */
const ENTRY = /(?:^|_)paths?$|^(?:entry_)?key$/;

/** The problems of the declarations of tables, compared with the schema. */
export function declarationProblems(columns: readonly SchemaColumn[], modules: readonly Module[]): string[] {
  const { tables } = registryOf(modules);
  const declared = new Map(tables.map((table) => [table.table, table]));
  const tenant = new Set(columns.filter(({ column_name }) => column_name === 'account_id').map(({ name }) => name));
  return [
    ...[...tenant].filter((name) => !declared.has(name)).map((name) => `${name} is not declared`),
    ...tables.filter(({ table }) => !tenant.has(table)).map(({ table }) => `${table} is declared and not there`),
    ...tables.flatMap((table) => columnProblems(table, columns)),
    ...modules.flatMap(ownerProblems),
  ];
}

function columnProblems({ table, agents = {}, entries = {} }: TenantTable, columns: readonly SchemaColumn[]): string[] {
  const own = columns.filter(({ name }) => name === table).map(({ column_name }) => column_name);
  const missing = (pattern: RegExp, known: object, what: string) =>
    own
      .filter((column) => pattern.test(column) && !(column in known))
      .map((column) => `${table}.${column} holds ${what} and does not say what an erasure does to it`);
  return [
    ...missing(AGENT, agents, 'the name of an agent'),
    ...missing(ENTRY, entries, 'the name of an entry'),
    ...Object.keys({ ...agents, ...entries })
      .filter((column) => !own.includes(column))
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
