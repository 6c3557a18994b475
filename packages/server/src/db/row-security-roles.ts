import pg from 'pg';
import { StorageError } from './database.ts';

/** The roles and the schema that connections for requests use. */
export type Roles = { app: string; maintenance: string; words: string; schema: string };

export const DEFAULT_ROLE = 'mem_app';

export const rolesOf = (app: string, schema: string): Roles => ({
  app,
  maintenance: `${app}_upkeep`,
  words: `${app}_words`,
  schema,
});

const namesOf = ({ app, maintenance, words }: Roles): string[] => [app, maintenance, words];

const quote = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name));

type RoleState = {
  name: string;
  exists: boolean;
  /** A superuser, or otherwise not bound by row-level security. */
  unbound: boolean;
  may_assume: boolean;
  may_use: boolean;
  may_create: boolean;
};

/** What the login may do about the roles, and what they may do in the schema. */
export type RoleRights = {
  login: string;
  is_modern: boolean;
  may_create_roles: boolean;
  may_grant_use: boolean;
  may_grant_create: boolean;
  roles: RoleState[];
};

const IS_MODERN = `CAST(current_setting('server_version_num') AS int) >= 160000`;

const LOGIN = `SELECT CAST(current_user AS text) AS login, ${IS_MODERN} AS is_modern,
    rolsuper OR rolcreaterole AS may_create_roles,
    has_schema_privilege(CAST($1 AS text), 'USAGE WITH GRANT OPTION') AS may_grant_use,
    has_schema_privilege(CAST($1 AS text), 'CREATE WITH GRANT OPTION') AS may_grant_create
  FROM pg_roles WHERE rolname = current_user`;

/** A role that does not exist yet will have the rights of everyone. */
const ROLES = `SELECT asked.name, r.oid IS NOT NULL AS exists, COALESCE(r.rolsuper OR r.rolbypassrls, false) AS unbound,
    COALESCE(pg_has_role(r.oid, CASE WHEN ${IS_MODERN} THEN 'SET' ELSE 'MEMBER' END), false) AS may_assume,
    has_schema_privilege(COALESCE(r.rolname, 'public'), CAST($1 AS text), 'USAGE') AS may_use,
    has_schema_privilege(COALESCE(r.rolname, 'public'), CAST($1 AS text), 'CREATE') AS may_create
  FROM unnest(CAST($2 AS text[])) WITH ORDINALITY AS asked (name, place) LEFT JOIN pg_roles AS r ON r.rolname = asked.name
  ORDER BY asked.place`;

export async function readRoleRights(client: pg.ClientBase, roles: Roles): Promise<RoleRights> {
  const schema = quote(roles.schema);
  const { rows } = await client.query(LOGIN, [schema]);
  const { rows: found } = await client.query(ROLES, [schema, namesOf(roles)]);
  return { ...rows[0], roles: found };
}

/** The statements that an administrator has to run before requests can run under the roles. */
export function missingGrants(roles: Roles, { roles: states, ...login }: RoleRights): string[] {
  const isNew = (role: RoleState) => !role.exists && !login.may_create_roles;
  const made = states.filter(isNew).map(({ name }) => `CREATE ROLE ${quote(name)} NOLOGIN;`);
  const strange = states.filter((role) => isNew(role) || (role.exists && !role.may_assume));
  const outside = login.may_grant_use ? [] : states.filter(({ may_use }) => !may_use);
  return [
    ...made,
    ...(strange.length > 0 ? [`GRANT ${listed(strange)} TO ${quote(login.login)}${membership(login)};`] : []),
    ...(outside.length > 0 ? [`GRANT USAGE ON SCHEMA ${quote(roles.schema)} TO ${listed(outside)};`] : []),
  ];
}

/** The same for turning row-level security on, and for upgrades that change a view of words. */
export function missingViewGrants({ schema, words }: Roles, { roles, may_grant_create }: RoleRights): string[] {
  const mayCreate = roles.some(({ name, exists, may_create }) => name === words && exists && may_create);
  return mayCreate || may_grant_create ? [] : [`GRANT CREATE ON SCHEMA ${quote(schema)} TO ${quote(words)};`];
}

const listed = (states: readonly RoleState[]): string => states.map(({ name }) => quote(name)).join(', ');

/** Permits assuming a role without inheriting its rights. Older servers lack these options. */
const membership = ({ is_modern }: Pick<RoleRights, 'is_modern'>): string =>
  is_modern ? ' WITH INHERIT FALSE, SET TRUE' : '';

function refuseWithout(statements: readonly string[]): void {
  if (statements.length === 0) return;
  const todo = `Have an administrator run: ${statements.join(' ')} Or set MEM_ROW_SECURITY=off.`;
  throw new StorageError('refused', new Error(`row-level security needs rights that are missing. ${todo}`));
}

/** Creates the roles that are missing. They belong to the whole server, so others may have created them already. */
export async function makeRoles(client: pg.ClientBase, roles: Roles, makesViews: boolean): Promise<RoleRights> {
  const rights = await readRoleRights(client, roles);
  const unbound = rights.roles.find((role) => role.unbound);
  if (unbound)
    throw new StorageError('refused', new Error(`the role ${unbound.name} is not bound by row-level security`));
  refuseWithout([...missingGrants(roles, rights), ...(makesViews ? missingViewGrants(roles, rights) : [])]);
  for (const { name, exists } of rights.roles) {
    if (exists) continue;
    await client.query(`CREATE ROLE ${quote(name)} NOLOGIN NOSUPERUSER NOBYPASSRLS`);
    await client.query(`GRANT ${quote(name)} TO CURRENT_USER${membership(rights)}`);
  }
  const outside = rights.roles.filter(({ may_use }) => !may_use);
  if (outside.length > 0) await client.query(`GRANT USAGE ON SCHEMA ${quote(roles.schema)} TO ${listed(outside)}`);
  return rights;
}

/** The role of the words must be allowed to create in the schema at the moment when it gets its views. */
export async function whileWordsMayCreate(
  client: pg.ClientBase,
  { roles, rights }: { roles: Roles; rights: RoleRights },
  work: () => Promise<void>,
): Promise<void> {
  const [schema, words] = [quote(roles.schema), quote(roles.words)];
  const isGranted = rights.roles.some(({ name, exists, may_create }) => name === roles.words && exists && may_create);
  if (!isGranted) await client.query(`GRANT CREATE ON SCHEMA ${schema} TO ${words}`);
  await work();
  if (!isGranted) await client.query(`REVOKE CREATE ON SCHEMA ${schema} FROM ${words}`);
}
