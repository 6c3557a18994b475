import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from './database.ts';
import { type HostTarget, type PostgresAddress, readAddress } from './postgres-address.ts';
import { type ConnectionPlan, newClient, type PostgresClient, planConnections, planDirect } from './postgres-client.ts';
import { atAddress } from './postgres-errors.ts';

/** How long connections of a pooler may take to become free. */
const POOL_WAIT_MS = 3_000;
const ROUNDS = 4;

/** What is at the other end of an address: PostgreSQL itself, or a pooler that lends a connection for so long. */
export type LinkKind = 'direct' | 'session' | 'transaction';

export type LinkState = {
  kind: LinkKind;
  /** Named statements work. A pooler that does not know them sends them to servers that have not parsed them. */
  keeps_names: boolean;
  /** A standby, or a database that is set to be read-only. */
  is_read_only: boolean;
  is_replica: boolean;
  login: string;
  /** A superuser, or a role with BYPASSRLS: row-level security does not bind it. */
  escapes: boolean;
  /** The same for all connections to one database of one server. */
  identity: string;
};

const STATE = `SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS is_replica,
    current_setting('transaction_read_only') = 'on' AS is_read_only, CAST(session_user AS text) AS login,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user) AS escapes,
    CONCAT(pg_postmaster_start_time(), ' ', (SELECT oid FROM pg_database WHERE datname = current_database())) AS identity`;
const SERVER = 'SELECT pg_backend_pid() AS pid';
/** A pooler that knows named statements has given it another name on the server. */
const OWN_NAME = 'SELECT count(*) AS found FROM pg_prepared_statements WHERE name = $1';

type AskedState = Omit<LinkState, 'kind' | 'keeps_names'>;

/** Looks at what an address leads to, without changing anything. */
export async function examineLink(plan: ConnectionPlan): Promise<LinkState> {
  return withClients(plan, async (open) => {
    const client = await open();
    const { pid: _, ...state } = (await client.query(STATE)).rows[0] as AskedState & { pid: number };
    if (client.isDirect) return { ...state, kind: 'direct', keeps_names: true };
    const kind = await kindOf(client, open);
    return { ...state, kind, keeps_names: kind === 'session' || (await knowsNames(client)) };
  });
}

/**
 * With a pooler of sessions each connection keeps a server of its own. Otherwise two that ask in turn either get the same
 * one, or, where servers are given out in rotation, the first does not get its own again.
 */
async function kindOf(first: PostgresClient, open: () => Promise<PostgresClient>): Promise<LinkKind> {
  const serverOf = async (client: PostgresClient): Promise<number> => (await client.query(SERVER)).rows[0].pid;
  const second = await Promise.race([open(), sleep(POOL_WAIT_MS, undefined, { ref: false })]);
  if (!second) throw refusal(sentenceOf(tooSmall({ given: 1, wanted: 2 })));
  const [one, two] = [await serverOf(first), await serverOf(second)];
  for (let round = 0; round < ROUNDS; round++) {
    const seen = [await serverOf(first), await serverOf(first), await serverOf(second)];
    if (one === two || seen[0] !== one || seen[1] !== one || seen[2] !== two) return 'transaction';
  }
  return 'session';
}

async function knowsNames(client: PostgresClient): Promise<boolean> {
  const name = `mem_${randomBytes(8).toString('hex')}`;
  const { rows } = await client.query({ name, text: OWN_NAME, values: [name] });
  return Number(rows[0].found) === 0;
}

/** How many of so many connections can be in a transaction at once. */
export async function countConnections(plan: ConnectionPlan, wanted: number): Promise<number> {
  return withClients(plan, async (open) => {
    let given = 0;
    let failure: unknown;
    const all = Array.from({ length: wanted }, async () => {
      try {
        await (await open()).query('BEGIN');
        given++;
      } catch (error) {
        failure ??= error;
      }
    });
    await Promise.race([Promise.all(all), sleep(POOL_WAIT_MS, undefined, { ref: false })]);
    if (given === 0 && failure) throw failure;
    return given;
  });
}

async function withClients<T>(
  plan: ConnectionPlan,
  work: (open: () => Promise<PostgresClient>) => Promise<T>,
): Promise<T> {
  const opened: PostgresClient[] = [];
  const open = async () => {
    const client = newClient(plan);
    opened.push(client);
    await client.connect();
    return client;
  };
  try {
    return await work(open);
  } catch (error) {
    throw atAddress(error, plan.where);
  } finally {
    // One that still waits for a server would take it from others.
    for (const client of opened) client.abandon();
  }
}

const refusal = (text: string, where?: string) => new StorageError('misconfigured', new Error(text), where);

/** What is found about an address, and what to do about it. */
export type LinkFinding = { found: string; todo: string };

const tooSmall = ({ given, wanted }: { given: number; wanted: number }): LinkFinding => ({
  found: `the pooler gives ${given} of the ${wanted} connections that a server uses (MEM_POSTGRES_POOL)`,
  todo: 'raise default_pool_size and max_client_conn of the pooler, or lower MEM_POSTGRES_POOL',
});

export type LinkReport = {
  main: LinkState;
  /** What LISTEN, migrations and maintenance use, where it is another address. */
  direct?: LinkState;
  /** A server cannot work like this. */
  failures: LinkFinding[];
  warnings: LinkFinding[];
};

export type LinkOptions = {
  dsn: string;
  directDsn?: string | undefined;
  /** Connections that the process will use at once; undefined: their number is not checked. */
  poolSize?: number | undefined;
  isGuarded?: boolean;
  /** The server only reads: it needs no session, neither to LISTEN nor to migrate. */
  readOnly?: boolean;
};

/** Examines the addresses of a store; `mem doctor` and every start say the same about them. */
export async function examineLinks(options: LinkOptions): Promise<LinkReport> {
  const { dsn, directDsn, poolSize, isGuarded = false, readOnly = false } = options;
  const plan = planConnections(readAddress(dsn));
  const past = directDsn === undefined ? undefined : planDirect(directDsn);
  for (const { address, where } of past ? [plan, past] : [plan])
    refuseTarget(address.target, { writes: !readOnly, where });
  const main = await examineLink(plan);
  const direct = past && (await examineLink(past));
  const failures = failuresOf(main, direct, readOnly);
  const warnings = warningsOf(main, isGuarded);
  if (poolSize !== undefined && main.kind !== 'direct' && failures.length === 0) {
    const wanted = direct || readOnly ? poolSize : poolSize + 1;
    const given = await countConnections(plan, wanted);
    // Transactions take turns; a session keeps what it has.
    if (given < wanted)
      (main.kind === 'session' || given === 0 ? failures : warnings).push(tooSmall({ given, wanted }));
  }
  return { main, ...(direct ? { direct } : {}), failures, warnings };
}

function failuresOf(main: LinkState, direct: LinkState | undefined, readOnly: boolean): LinkFinding[] {
  if (main.kind === 'transaction' && !direct && !readOnly)
    return [
      {
        found: 'a pooler in transaction mode is at this address, through which no server can LISTEN or be migrated',
        todo: 'set MEM_POSTGRES_DIRECT_DSN to the address of PostgreSQL itself, or use pool_mode = session',
      },
    ];
  if (direct?.kind === 'transaction')
    return [
      {
        found: 'MEM_POSTGRES_DIRECT_DSN leads to a pooler in transaction mode too',
        todo: 'set it to the address of PostgreSQL itself',
      },
    ];
  if (direct && direct.identity !== main.identity)
    return [
      {
        found: 'MEM_POSTGRES_DIRECT_DSN leads to another server or database than MEM_POSTGRES_DSN',
        todo: 'set it to the address of the server behind the pooler',
      },
    ];
  return [];
}

function warningsOf({ kind, keeps_names, escapes, login }: LinkState, isGuarded: boolean): LinkFinding[] {
  const parses = {
    found: 'the pooler keeps no named statements, so that PostgreSQL parses every statement again',
    todo: 'set max_prepared_statements = 200 (pgbouncer 1.21 or newer)',
  };
  const unbound = {
    found: `row-level security does not bind ${login}, which is a superuser or has BYPASSRLS; each transaction takes a role that it binds`,
    todo: 'use a login without these rights',
  };
  return [...(kind === 'transaction' && !keeps_names ? [parses] : []), ...(isGuarded && escapes ? [unbound] : [])];
}

export const sentenceOf = ({ found, todo }: LinkFinding): string => `${found}: ${todo}`;

/** Hosts that take no writes are for servers that only read, and the other way round: no wait would help. */
function refuseTarget(target: HostTarget, { writes, where }: { writes: boolean; where: string | undefined }): void {
  const asked = `target_session_attrs=${target} asks for a server that`;
  if (writes && READING.has(target))
    throw refusal(
      `${asked} takes no writes: leave it out, or set read-write; a server for reads alone is started with MEM_READ_ONLY=on`,
      where,
    );
  if (!writes && WRITING.has(target))
    throw refusal(`${asked} takes writes, and MEM_READ_ONLY=on is for standbys: leave it out, or set standby`, where);
}

const READING: ReadonlySet<HostTarget> = new Set(['standby', 'prefer-standby', 'read-only']);
const WRITING: ReadonlySet<HostTarget> = new Set(['primary', 'read-write']);

/** A start that cannot work ends here, with what to do. */
export function refuseBadLinks(
  { main, failures }: LinkReport,
  { address, readOnly }: { address: Pick<PostgresAddress, 'hosts' | 'target'>; readOnly: boolean },
): void {
  if (failures.length > 0) throw refusal(failures.map(sentenceOf).join('; '));
  if (!main.is_read_only || readOnly) return;
  const state = main.is_replica ? 'it is a standby' : 'it is read-only (default_transaction_read_only)';
  const hasSeveral = address.hosts.length > 1;
  const todo =
    hasSeveral && address.target === 'any'
      ? 'target_session_attrs=any takes the first host that answers; leave it out, or set read-write'
      : 'use the address of the primary, or name all hosts: postgres://a,b/mem?target_session_attrs=read-write';
  const reads = 'a server for reads alone is started with MEM_READ_ONLY=on';
  const isPassing = hasSeveral && address.target !== 'any';
  // Of several hosts another may become the primary in a moment.
  throw new StorageError(
    isPassing ? 'unavailable' : 'refused',
    new Error(`${state} and takes no writes: ${todo}; ${reads}`),
  );
}
