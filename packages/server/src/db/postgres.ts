import pg from 'pg';
import { type Database, type Dialect, type Query, StorageError, type Transaction } from './database.ts';
import type { Find, Insert, Row, Sql, SqlValue } from './sql.ts';

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

const UNAVAILABLE = /^(08|57P|53300|25006|40001|40P01|55P03)/;
const SYSTEM_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const code = String((error as { code?: unknown }).code ?? '');
  if (/^53[12]/.test(code)) return new StorageError('full', error);
  if (UNAVAILABLE.test(code) || SYSTEM_ERRORS.has(code)) return new StorageError('unavailable', error);
  const lost =
    /connection (terminated|error|timeout)|not queryable|timeout exceeded|Query read timeout|Client was closed/i;
  return code === '' && lost.test(error.message) ? new StorageError('unavailable', error) : error;
}

const prepared = new Map<string, { name: string; text: string }>();

/** Named, so that the server parses each statement once a connection. */
function prepare(text: string): { name?: string; text: string } {
  let known = prepared.get(text);
  if (!known) {
    let n = 0;
    known = { name: `mem_${prepared.size}`, text: text.replace(/\?/g, () => `$${++n}`) };
    // Searches vary with their filters; beyond this the rest goes unnamed.
    if (prepared.size >= 1000) return { text: known.text };
    prepared.set(text, known);
  }
  return known;
}

type Runner = pg.Pool | pg.PoolClient;

async function execute(runner: Runner, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
  try {
    return await runner.query({ ...prepare(text), values: values as unknown[] });
  } catch (error) {
    throw translate(error);
  }
}

const asQuery = (runner: Runner): Query => ({
  all: async <T>({ text, values }: Sql) => (await execute(runner, text, values)).rows as T[],
  get: async <T>({ text, values }: Sql) => (await execute(runner, text, values)).rows[0] as T | undefined,
});

const ARRAY_TYPES = { text: 'text[]', int: 'bigint[]', real: 'double precision[]', search_text: 'text[]' } as const;

function unnest(types: readonly (keyof typeof ARRAY_TYPES)[]): string {
  return `unnest(${types.map((type) => `CAST(? AS ${ARRAY_TYPES[type]})`).join(', ')})`;
}

function insertText({ table, columns, suffix = '' }: Insert): string {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  const picks = types.map((type, i) => (type === 'search_text' ? `CAST(r.c${i} AS tsvector)` : `r.c${i}`));
  const as = names.map((_, i) => `c${i}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${picks.join(', ')} FROM ${unnest(types)} AS r(${as}) ${suffix}`;
}

function findText({ table, select, by }: Find): string {
  const names = Object.keys(by);
  const as = names.map((_, i) => `c${i}`).join(', ');
  const on = names.map((name, i) => `${table}.${name} = r.c${i}`).join(' AND ');
  return `SELECT r.place, ${select} FROM ${unnest(Object.values(by))} WITH ORDINALITY AS r(${as}, place) JOIN ${table} ON ${on}`;
}

class PostgresTransaction implements Transaction {
  readonly #client: pg.PoolClient;
  readonly #query: Query;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    this.#query = asQuery(client);
  }

  all<T = Row>(statement: Sql): Promise<T[]> {
    return this.#query.all<T>(statement);
  }

  get<T = Row>(statement: Sql): Promise<T | undefined> {
    return this.#query.get<T>(statement);
  }

  async run({ text, values }: Sql): Promise<number> {
    return (await execute(this.#client, text, values)).rowCount ?? 0;
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    if (rows.length === 0) return [];
    const columns = Object.keys(insert.columns).map((name) => rows.map((row) => row[name] ?? null));
    return (await execute(this.#client, insertText(insert), columns)).rows;
  }

  async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    if (keys.length === 0) return [];
    const columns = Object.keys(find.by).map((_, i) => keys.map((key) => key[i] ?? null));
    const { rows } = await execute(this.#client, findText(find), columns);
    const found = new Array<T | undefined>(keys.length).fill(undefined);
    for (const row of rows) found[Number(row.place) - 1] = row;
    return found;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const opened = execute(this.#client, 'SAVEPOINT one', []);
    try {
      const [, result] = await Promise.all([opened, work()]);
      await execute(this.#client, 'RELEASE SAVEPOINT one', []);
      return result;
    } catch (error) {
      if (!(error instanceof StorageError && error.reason === 'unavailable'))
        await execute(this.#client, 'ROLLBACK TO SAVEPOINT one', []);
      throw error;
    }
  }
}

const MIGRATION_LOCK = 7_301_944_612;

class PostgresDatabase implements Database {
  readonly dialect = dialect;
  readonly read: Query;
  readonly scan: Query;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.read = asQuery(pool);
    this.scan = this.read;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    try {
      // Not waited for: it travels with the first statements of the work.
      const begun = execute(client, 'BEGIN', []);
      begun.catch(() => {});
      const result = await work(new PostgresTransaction(client));
      const { command } = await execute(client, 'COMMIT', []);
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the database');
      return result;
    } catch (error) {
      broken = !(await execute(client, 'ROLLBACK', []).then(
        () => true,
        () => false,
      ));
      throw translate(error);
    } finally {
      client.release(broken);
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
    return this.transaction(async (tx) => {
      await tx.run({ text: `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, values: [] });
      return work(tx);
    });
  }

  async maintain(statement: Sql): Promise<void> {
    await execute(this.#pool, statement.text, statement.values);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const BIGINT_OID = 20;

export type PostgresOptions = { dsn: string; poolSize: number; onError: (error: Error) => void };

export function openPostgres({ dsn, poolSize, onError }: PostgresOptions): Database {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === BIGINT_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const pool = new pg.Pool({
    connectionString: dsn,
    max: poolSize,
    types: types as pg.CustomTypesConfig,
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
    keepAlive: true,
    application_name: 'mem',
    ...{ pipeline: true },
  });
  // An idle connection that breaks is replaced by the next request; without a listener it would end the process.
  pool.on('error', onError);
  return new PostgresDatabase(pool);
}
