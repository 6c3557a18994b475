import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type AccountReads,
  type AnnouncementListener,
  type Database,
  type Query,
  type Snapshot,
  StorageError,
  type Transaction,
} from './database.ts';
import { dialect } from './postgres-dialect.ts';
import { isNotAllowed, translate } from './postgres-errors.ts';
import { PostgresAnnouncements } from './postgres-listen.ts';
import { asQuery, type BoundStatement, findOne } from './postgres-many.ts';
import { queryAsTenant, SET_TENANT, type TenantSetting } from './postgres-tenant.ts';
import { execute, isConnectionLost, PostgresTransaction, prepare, runTransaction } from './postgres-transaction.ts';
import type { CachedFind } from './row-cache.ts';
import { guardRows, MIGRATING, type Roles } from './row-security.ts';
import type { RowSecurity } from './row-security-types.ts';
import type { Row, Sql, SqlValue } from './sql.ts';

const MIGRATION_LOCK = 7_301_944_612;
const LOCK_WAIT_MS = 60_000;
const UNLIMITED_MS = 2 ** 31 - 1;

/** The others are for reads and for writes of one account. */
const CONNECTIONS_PER_SHARED_LANE = 4;

const SNAPSHOT_IDLE_MS = 10 * 60_000;
/** A server that froze does not answer a goodbye. */
const SNAPSHOT_CLOSE_MS = 5_000;

const plain = (text: string): Sql => ({ text, values: [] });

/** Holds the migration lock until the transaction ends. */
async function withMigrationLock<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.run(plain('SET LOCAL statement_timeout = 0'));
  await tx.run(plain(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`));
  await tx.run(plain(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`));
  return work();
}

/**
 * Assumes the request role for the lifetime of the connection, and prepares `SET_TENANT`. The search path may contain
 * `$user`.
 */
async function bind(client: pg.ClientBase, { app, schema }: Roles): Promise<void> {
  const text = `SELECT set_config('search_path', $1, false), set_config('role', $2, false)`;
  await Promise.all([
    client.query({ text, values: [pg.escapeIdentifier(schema), app] }),
    client.query({ ...SET_TENANT, values: ['mem.account_id', ''] }),
  ]);
}

type PostgresParts = {
  pool: pg.Pool;
  poolSize: number;
  newClient: () => pg.Client;
  announcements: PostgresAnnouncements;
  rowSecurity: RowSecurity | undefined;
};

class PostgresDatabase implements Database {
  readonly dialect = dialect;
  readonly sharedLanes: number;
  readonly read: Query;
  readonly scan: Query;
  readonly #pool: pg.Pool;
  readonly #newClient: () => pg.Client;
  readonly #announcements: PostgresAnnouncements;
  readonly #rowSecurity: RowSecurity | undefined;
  readonly #bound = new WeakSet<pg.PoolClient>();
  /** Set after the migrations, when row-level security is on. */
  #roles: Roles | undefined;

  constructor({ pool, poolSize, newClient, announcements, rowSecurity }: PostgresParts) {
    this.sharedLanes = Math.max(1, Math.floor(poolSize / CONNECTIONS_PER_SHARED_LANE));
    this.#pool = pool;
    this.#newClient = newClient;
    this.#announcements = announcements;
    this.#rowSecurity = rowSecurity;
    this.read = this.#query(() => this.#roles && ['role', this.#roles.maintenance]);
    this.scan = this.read;
  }

  forAccount(accountId: string): AccountReads {
    if (!this.#roles) return this;
    const read = this.#query(() => ['mem.account_id', accountId]);
    return { read, scan: read, find: (find, key) => findOne(read, find, key) };
  }

  find<T = Row>(find: CachedFind, key: readonly SqlValue[]): Promise<T | undefined> {
    return findOne(this.read, find, key);
  }

  #query(enter: () => TenantSetting | undefined): Query {
    return asQuery((statement) => this.#ask(statement, enter()));
  }

  async #ask(statement: BoundStatement, entered: TenantSetting | undefined): Promise<pg.QueryResult> {
    if (!entered) return execute(this.#pool, statement);
    const client = await this.#connect();
    try {
      const asked = { ...prepare(statement.text), values: statement.values as unknown[] };
      const result = await queryAsTenant(client, entered, asked);
      client.release();
      return result;
    } catch (error) {
      const failure = translate(error);
      client.release(isConnectionLost(failure));
      throw failure;
    }
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transact(work);
  }

  maintenanceTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const roles = this.#roles;
    return this.#transact(work, roles ? { entered: ['role', roles.maintenance] } : {});
  }

  /** Uses a connection outside the pool: its reader may be slow, and must not keep others from theirs. */
  async snapshot(accountId: string): Promise<Snapshot> {
    const client = this.#newClient();
    // A broken connection is reported by the statements.
    client.on('error', () => {});
    const close = async () => {
      const ended = client.end().catch(() => {});
      await Promise.race([ended, sleep(SNAPSHOT_CLOSE_MS, undefined, { ref: false })]);
    };
    try {
      await client.connect();
      if (this.#roles) await bind(client, this.#roles);
      await execute(client, plain('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
      if (this.#roles) await execute(client, { text: SET_TENANT.text, values: ['mem.account_id', accountId] });
      // A reader of a snapshot may pause between two steps.
      await execute(client, plain(`SET LOCAL idle_in_transaction_session_timeout = ${SNAPSHOT_IDLE_MS}`));
    } catch (error) {
      await close();
      throw translate(error);
    }
    return { ...asQuery((statement) => execute(client, statement)), close };
  }

  async #transact<T>(
    work: (tx: Transaction) => Promise<T>,
    { entered, timeoutMs }: { entered?: TenantSetting; timeoutMs?: number } = {},
  ): Promise<T> {
    const client = await this.#connect();
    const guarded = this.#roles !== undefined && !entered;
    const tx = new PostgresTransaction(client, { guarded, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    const ended = await runTransaction(tx, () => {
      if (entered) tx.set(entered);
      return work(tx);
    });
    // A connection that may still be in a transaction is closed, which also ends the transaction on the server.
    client.release(!ended.usable);
    if ('error' in ended) throw ended.error;
    return ended.result;
  }

  async #connect(): Promise<pg.PoolClient> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      if (this.#roles && !this.#bound.has(client)) {
        await bind(client, this.#roles);
        this.#bound.add(client);
      }
      return client;
    } catch (error) {
      client?.release(true);
      throw translate(error);
    }
  }

  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const roles = this.#roles;
    const entered = roles ? { entered: ['role', roles.maintenance] as const } : {};
    return this.#transact((tx) => withMigrationLock(tx, () => work(tx)), { ...entered, timeoutMs: UNLIMITED_MS });
  }

  /** Uses a connection outside the pool: pooled connections no longer have the rights to change the schema. */
  async alter<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#asOwner(async (client) => {
      const tx = new PostgresTransaction(client, { timeoutMs: UNLIMITED_MS });
      const ended = await runTransaction(tx, () =>
        withMigrationLock(tx, async () => {
          await tx.run(plain(MIGRATING));
          return { done: await work(tx), roles: await this.#guard(client) };
        }),
      );
      if ('error' in ended) throw isNotAllowed(ended.error) ? new StorageError('refused', ended.error) : ended.error;
      this.#roles = ended.result.roles;
      return ended.result.done;
    });
  }

  async #guard(client: pg.Client): Promise<Roles | undefined> {
    try {
      return this.#rowSecurity && (await guardRows(client, this.#rowSecurity));
    } catch (error) {
      throw translate(error);
    }
  }

  maintain(statement: Sql): Promise<void> {
    return this.#asOwner(async (client) => {
      await execute(client, { text: 'SET statement_timeout = 0', values: [] });
      await execute(client, { ...statement, query_timeout: UNLIMITED_MS });
    });
  }

  async #asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = this.#newClient();
    // A broken connection is reported by the statements.
    client.on('error', () => {});
    try {
      await client.connect().catch((error) => {
        throw translate(error);
      });
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  announce(topic: string, place: number): void {
    this.#announcements.announce(topic, place);
  }

  onAnnounce(listener: AnnouncementListener): () => void {
    return this.#announcements.onAnnounce(listener);
  }

  async close(): Promise<void> {
    await this.#announcements.close();
    await this.#pool.end();
  }
}

const BIGINT_OID = 20;

export type PostgresOptions = {
  dsn: string;
  poolSize: number;
  onError: (error: Error) => void;
  /** Undefined: row-level security is neither changed nor looked up. */
  rowSecurity?: RowSecurity;
};

/** Shorter than the timeouts of most clients, so that they receive the error. The DSN may override them. */
const DEFAULT_TIMEOUTS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 20_000,
  query_timeout: 25_000,
  // A server that froze or was cut off within a transaction must not block the others forever.
  idle_in_transaction_session_timeout: 30_000,
};

export function createPostgres({ dsn, poolSize, onError, rowSecurity }: PostgresOptions): Database {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === BIGINT_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const connection = {
    connectionString: dsn,
    types: types as pg.CustomTypesConfig,
    ...DEFAULT_TIMEOUTS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'mem',
    ...{ pipeline: true },
  };
  const pool = new pg.Pool({ ...connection, max: poolSize });
  // A broken connection is replaced at the next request; without a listener, the error would end the process. During a
  // transaction the pool does not listen, and the statements report the error.
  pool.on('error', (error) => onError(new StorageError('unavailable', error)));
  pool.on('connect', (client) => client.on('error', () => {}));
  const newClient = () => new pg.Client(connection);
  const announcements = new PostgresAnnouncements(newClient, onError);
  return new PostgresDatabase({ pool, poolSize, newClient, announcements, rowSecurity });
}
