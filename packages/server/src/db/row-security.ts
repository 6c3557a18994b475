import { createHash } from 'node:crypto';
import pg from 'pg';
import { StorageError } from './database.ts';
import { ACCOUNT_SEPARATOR } from './postgres-settings.ts';
import { DEFAULT_ROLE, makeRoles, type Roles, rolesOf, whileWordsMayCreate } from './row-security-roles.ts';
import { createView, dropView, type RowSecurity, type RowSecurityRules, type WordsView } from './row-security-types.ts';

export type { Roles } from './row-security-roles.ts';

export const MIGRATING = `SELECT set_config('mem.migrating', 'on', true)`;
/**
 * As a CASE, so that the planner neither uses an index for the policy, beside the one that a statement is written for, nor takes
 * the rows of a statement for a hundredth of what they are. Statements name the account themselves.
 */
const allowed = (condition: string) => `CASE WHEN ${condition} THEN true ELSE false END`;
const OWN_ROWS = allowed(`account_id = current_setting('mem.account_id', true)`);
/** A transaction that writes to several accounts names them all. */
const LISTED_ROWS = allowed(
  `account_id = ANY (string_to_array(current_setting('mem.account_ids', true), '${ACCOUNT_SEPARATOR}'))`,
);
export const POLICIES = ['mem_account', 'mem_accounts', 'mem_upkeep', 'mem_words', 'mem_migration'] as const;

const quote = pg.escapeIdentifier;

type GuardedTable = { name: string; owner: string; locked: boolean; stamp: string | null; role: string | null };

/** Every table with rows of accounts, and its protection. Partitions are reached through their table. */
const TABLES = `SELECT c.relname AS name, pg_get_userbyid(c.relowner) AS owner,
    c.relrowsecurity AND c.relforcerowsecurity AS locked, obj_description(p.oid, 'pg_policy') AS stamp,
    pg_get_userbyid(p.polroles[1]) AS role
  FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
  LEFT JOIN pg_policy AS p ON p.polrelid = c.oid AND p.polname = 'mem_account'
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname`;

/** Partitions of tables with rows of accounts, and whether nobody may use them except through their table. */
const PARTITIONS = `SELECT CAST(c.relname AS text) AS name, c.relforcerowsecurity AS locked
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relispartition AND c.relkind = 'r'`;

/** A partition gets no policy: with row-level security on, even its owner sees nothing in it by its own name. */
async function guardPartitions(client: pg.ClientBase, locks: boolean): Promise<void> {
  const partitions: { name: string; locked: boolean }[] = (await client.query(PARTITIONS)).rows;
  const [enable, force] = locks ? ['ENABLE', 'FORCE'] : ['DISABLE', 'NO FORCE'];
  for (const { name, locked } of partitions)
    if (locked !== locks)
      await client.query(`ALTER TABLE ${quote(name)} ${enable} ROW LEVEL SECURITY, ${force} ROW LEVEL SECURITY`);
}

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
    await guardPartitions(client, false);
    return undefined;
  }
  if (mode === 'as found' && found === undefined) return undefined;
  const { rows } = await client.query('SELECT current_schema() AS schema');
  const roles = rolesOf(role ?? found ?? DEFAULT_ROLE, rows[0].schema);
  const changes = tables.flatMap((table) => guardChange(table, { roles, rules }) ?? []);
  const makesViews = changes.some(({ name }) => rules.words[name]);
  const rights = await makeRoles(client, roles, makesViews);
  const guard = async () => {
    for (const { text } of changes) await client.query(text);
  };
  if (makesViews) await whileWordsMayCreate(client, { roles, rights }, guard);
  else await guard();
  await guardPartitions(client, true);
  for (const [table, rights] of Object.entries(rules.shared))
    await client.query(`GRANT ${rights.join(', ')} ON ${quote(table)} TO ${quote(roles.maintenance)}`);
  await client.query(`GRANT SELECT ON schema_migrations TO ${quote(roles.maintenance)}`);
  return roles;
}

/** The same where nothing may be changed: the protection must be as this version makes it. */
export async function findGuard(client: pg.ClientBase, { mode, role, rules }: RowSecurity): Promise<Roles | undefined> {
  const tables: GuardedTable[] = (await client.query(TABLES)).rows;
  const found = tables.find((table) => table.role !== null)?.role ?? undefined;
  if (found === undefined && mode !== 'on') return undefined;
  const { rows } = await client.query('SELECT current_schema() AS schema');
  const roles = rolesOf(role ?? found ?? DEFAULT_ROLE, rows[0].schema);
  const others = tables.filter((table) => guardChange(table, { roles, rules }) !== undefined);
  if (mode !== 'off' && others.length === 0) return roles;
  const why = mode === 'off' ? 'is on in this database' : `is not as this server needs it (${others[0]?.name})`;
  const todo = 'start a server that writes first, with the same MEM_ROW_SECURITY, MEM_POSTGRES_APP_ROLE and version';
  throw new StorageError('refused', new Error(`row-level security ${why}: ${todo}`));
}

type TableGuard = { roles: Roles; rules: RowSecurityRules };

/** Undefined for a table that is protected as it should be. */
function guardChange(table: GuardedTable, guard: TableGuard): { name: string; text: string } | undefined {
  const { name, locked } = table;
  const text = guardText(table, guard);
  const stamp = createHash('sha256').update(text).digest('hex').slice(0, 16);
  if (locked && table.stamp === stamp) return undefined;
  return { name, text: `${text}\nCOMMENT ON POLICY mem_account ON ${quote(name)} IS '${stamp}';` };
}

export const ALL_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

function guardText({ name, owner }: GuardedTable, { roles, rules }: TableGuard): string {
  const table = quote(name);
  const { [name]: own = ALL_RIGHTS } = rules.own;
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
    `CREATE POLICY mem_accounts ON ${table} TO ${quote(roles.app)} USING (${LISTED_ROWS});`,
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
  const words = quote(roles.words);
  const picked = columns.join(', ');
  return [
    `CREATE POLICY mem_words ON ${table} FOR SELECT TO ${words} USING (true);`,
    `GRANT SELECT (${picked}) ON ${table} TO ${words};`,
    dropView(view),
    `${createView(table, { view, columns })} WHERE ${OWN_ROWS};`,
    `GRANT SELECT ON ${view} TO ${quote(roles.app)};`,
    `ALTER VIEW ${view} OWNER TO ${words};`,
  ];
}

function openText({ name }: GuardedTable, { words }: RowSecurityRules): string {
  const { [name]: shown } = words;
  const table = quote(name);
  return [
    ...POLICIES.map((policy) => `DROP POLICY IF EXISTS ${policy} ON ${table};`),
    `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY;`,
    `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY;`,
    ...(shown ? [dropView(shown.view), `${createView(table, shown)};`] : []),
  ].join('\n');
}
