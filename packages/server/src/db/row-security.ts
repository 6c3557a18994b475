import { createHash } from 'node:crypto';
import pg from 'pg';
import { StorageError } from './database.ts';
import type { RowSecurity, RowSecurityRules, WordsView } from './row-security-types.ts';

/** The roles and the schema that connections for requests use. */
export type Roles = { app: string; maintenance: string; words: string; schema: string };

export const MIGRATING = `SELECT set_config('mem.migrating', 'on', true)`;
const DEFAULT_ROLE = 'mem_app';
const OWN_ROWS = `account_id = current_setting('mem.account_id', true)`;
const POLICIES = ['mem_account', 'mem_upkeep', 'mem_words', 'mem_migration'] as const;

const quote = pg.escapeIdentifier;

type GuardedTable = { name: string; owner: string; locked: boolean; stamp: string | null; role: string | null };

/** Every table with rows of accounts, and its protection. */
const TABLES = `SELECT c.relname AS name, pg_get_userbyid(c.relowner) AS owner,
    c.relrowsecurity AND c.relforcerowsecurity AS locked, obj_description(p.oid, 'pg_policy') AS stamp,
    pg_get_userbyid(p.polroles[1]) AS role
  FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
  LEFT JOIN pg_policy AS p ON p.polrelid = c.oid AND p.polname = 'mem_account'
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p') ORDER BY c.relname`;

/**
 * Turns row-level security on or off. Runs in the transaction of the migrations, as the owner of the tables; tables
 * that are already protected are not changed. Returns the roles that requests run under.
 */
export async function guardRows(client: pg.ClientBase, { mode, role, rules }: RowSecurity): Promise<Roles | undefined> {
  const tables: GuardedTable[] = (await client.query(TABLES)).rows;
  const found = tables.find((table) => table.role !== null)?.role ?? undefined;
  if (mode === 'off') {
    const guarded = tables.filter((table) => table.locked || table.stamp !== null);
    if (guarded.length > 0) await client.query(guarded.map((table) => openText(table, rules)).join('\n'));
    return undefined;
  }
  if (mode === 'as found' && found === undefined) return undefined;
  const app = role ?? found ?? DEFAULT_ROLE;
  const { rows } = await client.query('SELECT current_schema() AS schema');
  const roles = { app, maintenance: `${app}_upkeep`, words: `${app}_words`, schema: rows[0].schema };
  await makeRoles(client, roles);
  for (const table of tables) await guardTable(client, table, { roles, rules });
  for (const [table, rights] of Object.entries(rules.shared))
    await client.query(`GRANT ${rights.join(', ')} ON ${quote(table)} TO ${quote(roles.maintenance)}`);
  return roles;
}

type TableGuard = { roles: Roles; rules: RowSecurityRules };

async function guardTable(client: pg.ClientBase, table: GuardedTable, guard: TableGuard): Promise<void> {
  const text = guardText(table, guard);
  const stamp = createHash('sha256').update(text).digest('hex').slice(0, 16);
  if (table.locked && table.stamp === stamp) return;
  await client.query(`${text}\nCOMMENT ON POLICY mem_account ON ${quote(table.name)} IS '${stamp}';`);
}

const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

function guardText({ name, owner }: GuardedTable, { roles, rules }: TableGuard): string {
  const table = quote(name);
  const { [name]: own = ALL } = rules.own;
  const { [name]: maintenance } = rules.maintenance;
  const { [name]: words } = rules.words;
  const grants = (rights: readonly string[], role: string) =>
    `GRANT ${rights.join(', ')} ON ${table} TO ${quote(role)};`;
  return [
    ...POLICIES.map((policy) => `DROP POLICY IF EXISTS ${policy} ON ${table};`),
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
    `REVOKE ALL ON ${table} FROM PUBLIC, ${[roles.app, roles.maintenance, roles.words].map(quote).join(', ')};`,
    `CREATE POLICY mem_account ON ${table} TO ${quote(roles.app)} USING (${OWN_ROWS});`,
    // The policy binds the owner too, except during a migration, which may have to change all rows.
    `CREATE POLICY mem_migration ON ${table} TO ${quote(owner)} USING (current_setting('mem.migrating', true) = 'on');`,
    grants(own, roles.app),
    ...(maintenance
      ? [
          `CREATE POLICY mem_upkeep ON ${table} TO ${quote(roles.maintenance)} USING (${rules.ended.includes(name) ? rules.isEnded(table) : 'true'});`,
          grants(maintenance, roles.maintenance),
        ]
      : []),
    ...(words ? wordsText(table, words, roles) : []),
  ].join('\n');
}

/**
 * PostgreSQL checks the policy before it uses an index whose operator is not leakproof, and `@@` is not. The words are
 * therefore read through a view owned by a role that may read all words; the view contains the condition of the policy.
 */
function wordsText(table: string, { view, columns }: WordsView, roles: Roles): string[] {
  const [words, schema] = [quote(roles.words), quote(roles.schema)];
  const picked = columns.join(', ');
  return [
    `CREATE POLICY mem_words ON ${table} FOR SELECT TO ${words} USING (true);`,
    `GRANT SELECT (${picked}) ON ${table} TO ${words};`,
    dropText(view),
    `CREATE VIEW ${view} AS SELECT ${picked} FROM ${table} WHERE ${OWN_ROWS};`,
    `GRANT SELECT ON ${view} TO ${quote(roles.app)};`,
    `GRANT CREATE ON SCHEMA ${schema} TO ${words};`,
    `ALTER VIEW ${view} OWNER TO ${words};`,
    `REVOKE CREATE ON SCHEMA ${schema} FROM ${words};`,
  ];
}

/** As its owner, which may be the role of the words or the login. */
const dropText = (view: string) => `DO $$ BEGIN
  EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('${view}')));
  DROP VIEW ${view};
  SET LOCAL ROLE NONE;
END $$;`;

function openText({ name }: GuardedTable, { words }: RowSecurityRules): string {
  const { [name]: shown } = words;
  const table = quote(name);
  return [
    ...POLICIES.map((policy) => `DROP POLICY IF EXISTS ${policy} ON ${table};`),
    `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY;`,
    `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY;`,
    ...(shown
      ? [dropText(shown.view), `CREATE VIEW ${shown.view} AS SELECT ${shown.columns.join(', ')} FROM ${table};`]
      : []),
  ].join('\n');
}

const NOT_ALLOWED = '42501';

/** Roles belong to the whole server, so a role with more rights may have created them already. */
async function makeRoles(client: pg.ClientBase, roles: Roles): Promise<void> {
  const names = [roles.app, roles.maintenance, roles.words];
  try {
    for (const name of names) await makeRole(client, name);
    await client.query(`GRANT USAGE ON SCHEMA ${quote(roles.schema)} TO ${names.map(quote).join(', ')}`);
  } catch (error) {
    if ((error as { code?: string }).code !== NOT_ALLOWED) throw error;
    throw refusal(names, (error as Error).message);
  }
}

async function makeRole(client: pg.ClientBase, name: string): Promise<void> {
  const role = quote(name);
  const known = (
    await client.query('SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = $1', [name])
  ).rows[0];
  if (known?.unbound)
    throw new StorageError('refused', new Error(`the role ${name} is not bound by row-level security`));
  if (!known) {
    await client.query(`CREATE ROLE ${role} NOLOGIN NOSUPERUSER NOBYPASSRLS`);
    const { rows } = await client.query(`SELECT current_setting('server_version_num')::int >= 160000 AS modern`);
    // Permits assuming the role without inheriting its rights. Older servers lack these options.
    await client.query(`GRANT ${role} TO CURRENT_USER ${rows[0].modern ? 'WITH INHERIT FALSE, SET TRUE' : ''}`);
  }
  // Fails if this login may not assume the role.
  await client.query(`SET LOCAL ROLE ${role}`);
  await client.query('SET LOCAL ROLE NONE');
}

function refusal(names: readonly string[], why: string): StorageError {
  const made = names.map((name) => `CREATE ROLE ${quote(name)} NOLOGIN;`).join(' ');
  const granted = `GRANT ${names.map(quote).join(', ')} TO <the user of MEM_POSTGRES_DSN>;`;
  const instructions = `row-level security needs three roles (${why}). Have an administrator run: ${made} ${granted} Or set MEM_ROW_SECURITY=off.`;
  return new StorageError('refused', new Error(instructions));
}
