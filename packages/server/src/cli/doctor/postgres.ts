import { addressOfDsn, hasStrayPassword, hostsOfDsn } from '@mem-service/mcp/location';
import type { Config } from '../../config.ts';
import type { PostgresState } from '../../db/postgres-check.ts';
import type { LinkKind, LinkReport } from '../../db/postgres-pooler.ts';
import type { StoreReport } from '../../inspect.ts';
import { problemOf } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { counted } from '../render/index.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { checkSchema } from './schema.ts';

type Report = StoreReport & { postgres: PostgresState };

export async function checkPostgresStore(parts: OwnParts, config: Config): Promise<Check[]> {
  const dsn = config.postgresDsn as string;
  if (hasStrayPassword(dsn)) {
    const todo = 'write / as %2F, ? as %3F and # as %23 in the password';
    return [failure('store', 'MEM_POSTGRES_DSN cannot be read: its password holds a character of addresses', todo)];
  }
  try {
    const report = await parts.inspectStore(config);
    return checkState(report as Report, config);
  } catch (error) {
    const [detail] = problemOf(error).detail.split('\n');
    const isDirect = (error as { where?: string }).where !== undefined;
    const at = isDirect
      ? { variable: 'MEM_POSTGRES_DIRECT_DSN', dsn: config.postgresDirectDsn as string }
      : { variable: 'MEM_POSTGRES_DSN', dsn };
    return [failure('store', isDirect ? `${detail}` : `${addressOfDsn(dsn)}: ${detail}`, remedyOf(error, at))];
  }
}

/** Chosen by the error code of PostgreSQL or of the system. */
function remedyOf(error: unknown, { variable, dsn }: { variable: string; dsn: string }): string {
  const { cause, reason } = error as { cause?: { code?: string }; reason?: string };
  const code = cause?.code ?? (error as { code?: string }).code ?? '';
  const name = hostsOfDsn(dsn)?.[0]?.pathname.slice(1) || 'of that name';
  if (code === '' && (reason === 'refused' || reason === 'misconfigured')) return `correct ${variable}`;
  if (code === '3D000') return `make the database (createdb ${name}), or correct its name in ${variable}`;
  if (code.startsWith('28')) return `correct user and password in ${variable}, or let the user in (pg_hba.conf)`;
  if (code.startsWith('53')) return 'free connections: raise max_connections, or lower MEM_POSTGRES_POOL';
  if (code === '42501') return `give the user of ${variable} the right to connect and to use the schema`;
  return `start PostgreSQL, or correct host, port and sslmode in ${variable}`;
}

function checkState(report: Report, config: Config): Check[] {
  const { postgres } = report;
  const { postgresDsn } = config;
  const where = `PostgreSQL ${postgres.version.split(' ')[0]} at ${addressOfDsn(postgresDsn as string)}`;
  if (postgres.place === null)
    return [failure('store', `${where}: ${postgres.role} may use no schema of it`, schemaToGrant(postgres))];
  const about = `${where}, schema ${postgres.place}, as ${postgres.role}`;
  const found = postgres.owner === null ? [checkEmpty(about, postgres)] : [ok('store', about)];
  const isReadable = postgres.owner !== null && postgres.closed.length < 1;
  return [
    ...found,
    ...checkRights(report),
    ...(isReadable ? [checkOwner(report), ...checkPartitions(postgres)] : []),
    ...checkServer(postgres, config),
    ...checkLinks(postgres.links),
  ];
}

const schemaToGrant = ({ place, role }: PostgresState): string =>
  `as its owner: GRANT USAGE, CREATE ON SCHEMA ${place ?? 'public'} TO ${role}`;

function checkEmpty(about: string, { foreign, taken }: PostgresState): Check {
  if (foreign === 0) return ok('store', `${about}: no tables yet, the first start makes them`);
  const todo = 'check the name in MEM_POSTGRES_DSN, or give mem a database or schema of its own';
  const found = `${about}: ${counted(foreign, 'table')} of something else, and none of mem`;
  return taken.length > 0
    ? failure('store', `${about}: ${taken.join(', ')} of something else ${taken.length > 1 ? 'are' : 'is'} there`, todo)
    : warning('store', found, todo);
}

function checkRights({ postgres, pending }: Report): Check[] {
  const { role, place, may_create, closed, missing_roles } = postgres;
  const checks: Check[] = [];
  if (!may_create)
    checks.push(failure('rights', `${role} may not make tables in the schema ${place}`, schemaToGrant(postgres)));
  if (closed.length > 0) {
    const named =
      closed.length > 3 ? `${closed.slice(0, 3).join(', ')} and ${closed.length - 3} more` : closed.join(', ');
    const todo = `as ${postgres.owner}: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${place} TO ${role}`;
    checks.push(failure('rights', `${role} may not read and write ${named}`, todo));
  }
  // The views of a protected store that is up to date are there already.
  const isComplete = postgres.is_guarded && (pending === 0 || closed.length > 0);
  const grants = [...postgres.missing_grants, ...(isComplete ? [] : postgres.missing_view_grants)];
  if (missing_roles.length > 0) {
    const roles = missing_roles.join(', ');
    checks.push(
      failure('rights', `${role} may not serve under ${roles}`, grants.join(' ') || `GRANT ${roles} TO ${role};`),
    );
  } else if (grants.length > 0)
    checks.push(
      failure('rights', `row-level security needs rights that are missing`, `as an administrator: ${grants.join(' ')}`),
    );
  return checks.length > 0 ? checks : [ok('rights', `${role} may do what is needed`)];
}

/** Migrations need the owner of the tables. */
function checkOwner(report: Report): Check {
  const { schema, pending, refusal } = report;
  const { owner, is_owner, role } = report.postgres;
  if (refusal || pending === 0 || is_owner) return checkSchema(report);
  const found = `${schema} of ${schema + pending}, and ${role} does not own the tables`;
  return failure('schema', found, `start mem once as ${owner}`);
}

/** Only of a store that has some. Tables of later migrations are made in one piece. */
function checkPartitions({ divisions }: PostgresState): Check[] {
  const divided = divisions.filter(({ partitions }) => partitions > 0);
  const whole = divisions.filter(({ partitions, blocking }) => partitions === 0 && blocking.length === 0);
  const [first] = divided;
  if (!first) return [];
  const found = `${counted(divided.length, 'table')} in ${first.partitions} partitions by account`;
  if (whole.length === 0) return [ok('partitions', found)];
  const rest = whole.map(({ table }) => table).join(', ');
  return [
    warning(
      'partitions',
      `${found}, ${rest} ${whole.length > 1 ? 'are' : 'is'} not`,
      'stop the servers and run mem postgres partition',
    ),
  ];
}

const KINDS: Record<LinkKind, string> = {
  direct: 'no pooler between',
  session: 'through a pooler in session mode',
  transaction: 'through a pooler in transaction mode',
};

function checkLinks({ main, direct, failures, warnings }: LinkReport): Check[] {
  const checks = [
    ...failures.map(({ found, todo }) => failure('connections', found, todo)),
    ...warnings.map(({ found, todo }) => warning('connections', found, todo)),
  ];
  if (checks.length > 0 || main.kind === 'direct') return checks;
  const past = direct ? `, and past it (MEM_POSTGRES_DIRECT_DSN): ${KINDS[direct.kind]}` : '';
  return [ok('connections', `${KINDS[main.kind]}${past}`)];
}

const REPLICA = 'use the address of the primary, or set MEM_READ_ONLY=on for a server that only reads';

const ANY_HOST =
  'leave target_session_attrs=any out, which takes the first host that answers, or set it to read-write; a server that only reads has MEM_READ_ONLY=on';

function writableCure(dsn: string): string {
  const hosts = hostsOfDsn(dsn) ?? [];
  return hosts.length > 1 && hosts[0]?.searchParams.get('target_session_attrs') === 'any' ? ANY_HOST : REPLICA;
}

function checkServer({ is_replica, max_connections }: PostgresState, config: Config): Check[] {
  const { postgresPool: pool, readOnly, postgresDsn } = config;
  const checks: Check[] = [];
  if (is_replica && readOnly) checks.push(ok('server', 'it follows another server, and is used for reads alone'));
  else if (is_replica)
    checks.push(
      failure('server', 'it follows another server and takes no writes', writableCure(postgresDsn as string)),
    );
  // One further connection is for notifications.
  if (pool + 1 >= max_connections) {
    const found = `MEM_POSTGRES_POOL is ${pool}, and the server takes ${max_connections} connections in all`;
    checks.push(warning('server', found, 'lower MEM_POSTGRES_POOL, or raise max_connections'));
  }
  return checks;
}
