import type { Query } from './database.ts';
import { readSchema, type StoreSchema } from './expected-schema.ts';
import { readApplied } from './migrate.ts';
import type { AppliedMigration } from './migration-order.ts';
import { readAddress } from './postgres-address.ts';
import { newClient, type PostgresClient, planConnections } from './postgres-client.ts';
import { translate } from './postgres-errors.ts';
import { readDivisions, type TableDivision } from './postgres-partition.ts';
import { examineLinks, type LinkReport } from './postgres-pooler.ts';
import { execute } from './postgres-transaction.ts';
import { DEFAULT_ROLE, missingGrants, missingViewGrants, readRoleRights, rolesOf } from './row-security-roles.ts';
import type { Sql } from './sql.ts';

export type PostgresState = {
  version: string;
  role: string;
  /** The schema in which tables are found and created; null when the role may use none. */
  place: string | null;
  /** A standby server, which accepts no writes. */
  is_replica: boolean;
  max_connections: number;
  may_create: boolean;
  /** Migrations of the store; empty when there is no store yet. */
  applied: AppliedMigration[];
  schema: StoreSchema;
  /** The owner of the tables; null when there is no store yet. */
  owner: string | null;
  is_owner: boolean;
  /** Tables of the store that the role may not read and write. */
  closed: string[];
  /** Roles that requests run under, with row-level security, but that this role may not assume. */
  missing_roles: string[];
  /** Row-level security is on in the store already. */
  is_guarded: boolean;
  /** Statements that are needed before row-level security can be used; more where tables are still to be protected. */
  missing_grants: string[];
  missing_view_grants: string[];
  /** The number of other tables, and those whose names collide with tables of the store. */
  foreign: number;
  taken: string[];
  /** How the tables with rows of accounts are divided into partitions. */
  divisions: TableDivision[];
  /** What is between this machine and the server. */
  links: LinkReport;
};

const STATE = `SELECT current_setting('server_version') AS version, current_user AS role, current_schema() AS place,
    pg_is_in_recovery() AS is_replica, CAST(current_setting('max_connections') AS int) AS max_connections,
    COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create`;

type CheckedTable = {
  name: string;
  owner: string;
  is_owner: boolean;
  is_open: boolean;
  is_guarded: boolean;
  columns: string[];
};

const TABLES = `SELECT c.relname AS name, pg_get_userbyid(c.relowner) AS owner,
    pg_has_role(c.relowner, 'USAGE') AS is_owner, c.relforcerowsecurity AS is_guarded,
    has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
      AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE') AS is_open,
    ARRAY(SELECT CAST(a.attname AS text) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns
  FROM pg_class AS c
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname`;

/** Roles in the policies of row-level security that this role may not assume: requests cannot run under them. */
const MISSING_ROLES = `SELECT DISTINCT CAST(r.rolname AS text) AS name FROM pg_policy AS p
    JOIN pg_class AS c ON c.oid = p.polrelid JOIN pg_roles AS r ON r.oid = ANY (p.polroles)
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND p.polname IN ('mem_account', 'mem_upkeep', 'mem_words')
    AND NOT pg_has_role(r.oid, 'MEMBER') ORDER BY 1`;

const MIGRATIONS = 'schema_migrations';

/** Other programs may have a table of the same name, with other columns. */
function ownTables(tables: readonly CheckedTable[], names: ReadonlySet<string>): CheckedTable[] {
  const isStore = tables.some(({ name, columns }) => name === MIGRATIONS && columns.includes('applied_at'));
  return isStore ? tables.filter(({ name }) => names.has(name) || name === MIGRATIONS) : [];
}

const ask = async <T>(client: PostgresClient, text: string) =>
  (await execute(client, { text, values: [] })).rows as T[];

const asQuery = (client: PostgresClient): Pick<Query, 'all' | 'get'> => ({
  all: <T>({ text }: Sql) => ask<T>(client, text),
  get: async <T>({ text }: Sql) => (await ask<T>(client, text))[0],
});

/** The tables of the store, and how rows are to be protected in it. */
export type PostgresExpectation = {
  names: ReadonlySet<string>;
  rowSecurity: 'on' | 'off' | 'as found';
  role: string | undefined;
};

const FOUND_ROLE = `SELECT CAST(pg_get_userbyid(p.polroles[1]) AS text) AS name FROM pg_policy AS p
    JOIN pg_class AS c ON c.oid = p.polrelid
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND p.polname = 'mem_account' LIMIT 1`;

const NO_GRANTS = { missing_grants: [], missing_view_grants: [], is_guarded: false };

/** What is missing for requests to run under the roles of row-level security, where it is or will be on. */
async function checkGrants(client: PostgresClient, schema: string | null, expected: PostgresExpectation) {
  const [found] = await ask<{ name: string }>(client, FOUND_ROLE);
  const isUsed = expected.rowSecurity === 'on' || (expected.rowSecurity === 'as found' && found !== undefined);
  if (!isUsed || schema === null) return NO_GRANTS;
  const roles = rolesOf(expected.role ?? found?.name ?? DEFAULT_ROLE, schema);
  const rights = await readRoleRights(client, roles);
  return {
    missing_grants: missingGrants(roles, rights),
    missing_view_grants: missingViewGrants(roles, rights),
    is_guarded: found !== undefined,
  };
}

async function openChecked(dsn: string): Promise<PostgresClient> {
  const client = newClient(planConnections(readAddress(dsn)));
  await client.connect().catch((error) => {
    throw translate(error);
  });
  return client;
}

export type CheckedAddresses = { dsn: string; directDsn?: string | undefined; poolSize: number; readOnly: boolean };

/** Inspects a database without changing it: which of these tables exist, and what the role may do. */
export async function checkPostgres(
  address: CheckedAddresses,
  { names, rowSecurity, role }: PostgresExpectation,
): Promise<PostgresState> {
  const links = await examineLinks({ ...address, isGuarded: rowSecurity === 'on' });
  // Statements without a name are the same on any server that a pooler leads to; the session sets nothing there.
  const client = await openChecked(address.dsn);
  try {
    const [state] = (await ask<Pick<PostgresState, 'version' | 'role'>>(client, STATE)) as [PostgresState];
    const tables = await ask<CheckedTable>(client, TABLES);
    const roles = await ask<{ name: string }>(client, MISSING_ROLES);
    const own = ownTables(tables, names);
    const [migrations] = own.filter(({ name }) => name === MIGRATIONS);
    const closed = own.filter(({ is_open, is_guarded }) => !is_open && !is_guarded).map(({ name }) => name);
    const isReadable = migrations && !closed.includes(MIGRATIONS);
    const foreign = tables.filter((table) => !own.includes(table)).map(({ name }) => name);
    return {
      ...state,
      links,
      schema: await readSchema(asQuery(client), 'postgres'),
      applied: isReadable ? await readApplied(asQuery(client), 'postgres') : [],
      divisions: isReadable ? await readDivisions(asQuery(client), names) : [],
      owner: migrations?.owner ?? null,
      is_owner: migrations?.is_owner ?? false,
      closed,
      missing_roles: roles.map(({ name }) => name),
      ...(await checkGrants(client, state.place, { names, rowSecurity, role })),
      foreign: foreign.length,
      taken: foreign.filter((name) => names.has(name) || name === MIGRATIONS),
    };
  } catch (error) {
    throw translate(error);
  } finally {
    await client.end().catch(() => {});
  }
}
