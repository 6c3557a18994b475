import pg from 'pg';
import {
  type Announced,
  type Database,
  type Dialect,
  type Query,
  type Snapshot,
  StorageError,
  type Transaction,
} from './database.ts';
import { translate } from './postgres-errors.ts';
import { PostgresAnnouncements } from './postgres-listen.ts';
import { execute, isGone, PostgresTransaction } from './postgres-transaction.ts';
import type { Sql, SqlValue } from './sql.ts';

const dialect: Dialect = {
  engine: 'postgres',
  forUpdate: 'FOR UPDATE',
  lane: (accountId) => accountId,
  texts: (values) => ({ text: 'unnest(CAST(? AS text[])) AS texts(value)', values: [arrayLiteral(values)] }),
};

/** A PostgreSQL array as text, so that values stay plain strings and numbers everywhere above. */
function arrayLiteral(values: readonly SqlValue[]): string {
  const item = (value: SqlValue) => {
    if (value === null) return 'NULL';
    return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
  };
  return `{${values.map(item).join(',')}}`;
}

const MIGRATION_LOCK = 7_301_944_612;
const LOCK_WAIT_MS = 60_000;
const UNLIMITED_MS = 2 ** 31 - 1;

const SNAPSHOT_IDLE_MS = 10 * 60_000;

const plain = (text: string): Sql => ({ text, values: [] });

async function isBroken(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return false;
  } catch {
    return true;
  }
}

class PostgresDatabase implements Database {
  readonly dialect = dialect;
  readonly read: Query;
  readonly scan: Query;
  readonly #pool: pg.Pool;
  readonly #announcements: PostgresAnnouncements;

  constructor(pool: pg.Pool, announcements: PostgresAnnouncements) {
    this.#pool = pool;
    this.#announcements = announcements;
    this.read = {
      all: async <T>(statement: Sql) => (await execute(pool, statement)).rows as T[],
      get: async <T>(statement: Sql) => (await execute(pool, statement)).rows[0] as T | undefined,
    };
    this.scan = this.read;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transact(work);
  }

  async snapshot(): Promise<Snapshot> {
    const client = await this.#connect();
    const close = async () => client.release(await isBroken(() => execute(client, plain('ROLLBACK'))));
    try {
      await execute(client, plain('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
      // Whoever reads may take its time between two steps.
      await execute(client, plain(`SET LOCAL idle_in_transaction_session_timeout = ${SNAPSHOT_IDLE_MS}`));
    } catch (error) {
      await close();
      throw error;
    }
    return {
      all: async <T>(statement: Sql) => (await execute(client, statement)).rows as T[],
      get: async <T>(statement: Sql) => (await execute(client, statement)).rows[0] as T | undefined,
      close,
    };
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>, timeoutMs?: number): Promise<T> {
    const client = await this.#connect();
    const tx = new PostgresTransaction(client, timeoutMs);
    try {
      // Not waited for: it travels with the first statements of the work.
      const begun = tx.begin();
      begun.catch(() => {});
      const result = await work(tx);
      await begun;
      await tx.commit();
      client.release();
      return result;
    } catch (error) {
      // A connection that may still hold the transaction is closed, which ends it on the server too.
      const usable = !isGone(error) && (await tx.rollback());
      client.release(!usable);
      throw error;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw translate(error);
    }
  }

  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transact(async (tx) => {
      await tx.run({ text: 'SET LOCAL statement_timeout = 0', values: [] });
      await tx.run({ text: `SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`, values: [] });
      await tx.run({ text: `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, values: [] });
      return work(tx);
    }, UNLIMITED_MS);
  }

  async maintain(statement: Sql): Promise<void> {
    const client = await this.#connect();
    try {
      await execute(client, { text: 'SET statement_timeout = 0', values: [] });
      await execute(client, { ...statement, query_timeout: UNLIMITED_MS });
      await execute(client, { text: 'RESET statement_timeout', values: [] });
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  announce(topic: string, place: number): void {
    this.#announcements.announce(topic, place);
  }

  onAnnounce(listener: Announced): () => void {
    return this.#announcements.onAnnounce(listener);
  }

  async close(): Promise<void> {
    await this.#announcements.close();
    await this.#pool.end();
  }
}

const BIGINT_OID = 20;

export type PostgresOptions = { dsn: string; poolSize: number; onError: (error: Error) => void };

/** The waits are shorter than those of most clients, so that these learn what happened. The DSN may name others. */
const WAITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 20_000,
  query_timeout: 25_000,
  // A server that froze or was cut off in the middle of a transaction must not hold up the others for ever.
  idle_in_transaction_session_timeout: 30_000,
};

export function openPostgres({ dsn, poolSize, onError }: PostgresOptions): Database {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === BIGINT_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const connection = {
    connectionString: dsn,
    types: types as pg.CustomTypesConfig,
    ...WAITS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'mem',
  };
  const pool = new pg.Pool({ ...connection, max: poolSize, ...{ pipeline: true } });
  // A connection that breaks is replaced by the next request; without a listener it would end the process. While a
  // transaction has it, the pool does not listen, and the statements tell.
  pool.on('error', (error) => onError(new StorageError('unavailable', error)));
  pool.on('connect', (client) => client.on('error', () => {}));
  return new PostgresDatabase(pool, new PostgresAnnouncements(() => new pg.Client(connection), onError));
}
