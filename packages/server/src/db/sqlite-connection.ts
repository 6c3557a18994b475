import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  DatabaseSyncInstance as DatabaseSync,
  StatementSyncInstance as StatementSync,
} from '@photostructure/sqlite';
import type { Find, Sql, SqlValue } from './sql.ts';
import { MAX_WAL_BYTES, PAGE_BYTES } from './sqlite-checkpoint.ts';
import { primaryCode, SQLITE_BUSY } from './sqlite-errors.ts';
import { type FindKey, findChunks, placeRows } from './sqlite-find.ts';
import { plannedOnce } from './sqlite-limit.ts';
import { compileRowBuilder, type RowBuilder } from './sqlite-rows.ts';

export type Driver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>;

let driver: Promise<Driver> | undefined;

/** Loads `node:sqlite` where the runtime has it, otherwise the package with the same interface. */
export function loadDriver(): Promise<Driver> {
  driver ??= findDriver();
  return driver;
}

async function findDriver(): Promise<Driver> {
  const builtIn = 'node:sqlite';
  const { emitWarning } = process;
  // Some runtimes warn at every command that their driver may change; users cannot act on that.
  process.emitWarning = (warning, ...rest) => {
    if ((rest[0] as unknown) !== 'ExperimentalWarning') emitWarning.call(process, warning, ...(rest as []));
  };
  try {
    return (await import(builtIn)) as Driver;
  } catch {
    return await import('@photostructure/sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * A statement, prepared once. Where the driver can give rows as arrays, they are named here, which is faster
 * (bench/inside/tricks.mjs).
 */
export class SqliteStatement {
  readonly #statement: StatementSync;
  readonly #buildRow: RowBuilder | undefined;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    if (typeof statement.setReturnArrays !== 'function') return;
    const columns = statement.columns();
    if (columns.length === 0) return;
    statement.setReturnArrays(true);
    this.#buildRow = compileRowBuilder(columns.map((column) => column.name));
  }

  run(values: readonly SqlValue[]): number {
    return Number(this.#statement.run(...values).changes);
  }

  get<T>(values: readonly SqlValue[]): T | undefined {
    const row = this.#statement.get(...values) ?? undefined;
    const build = this.#buildRow;
    return (build && row !== undefined ? build(row as unknown as SqlValue[]) : row) as T | undefined;
  }

  all<T>(values: readonly SqlValue[]): T[] {
    const rows = this.#statement.all(...values) as unknown[];
    const build = this.#buildRow;
    return (build ? rows.map((row) => build(row as SqlValue[])) : rows) as T[];
  }
}

/** One connection and its statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  statement(text: string): SqliteStatement {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= 500) this.#statements.clear();
      statement = new SqliteStatement(this.#database.prepare(plannedOnce(text)));
      this.#statements.set(text, statement);
    }
    return statement;
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  all<T>({ text, values }: Sql): T[] {
    return this.statement(text).all(values);
  }

  get<T>({ text, values }: Sql): T | undefined {
    return this.statement(text).get(values);
  }

  findMany<T>(find: Find, keys: readonly FindKey[]): (T | undefined)[] {
    return placeRows<T>(findChunks(find, keys), ({ statement }) => this.all(statement), keys.length);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

export const PRAGMAS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA page_size = ${PAGE_BYTES};
  PRAGMA journal_mode = WAL;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA journal_size_limit = ${2 * MAX_WAL_BYTES};
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -32768;
  PRAGMA mmap_size = 268435456;
`;

/**
 * Opens a store only to look at it. The last connection removes the files that SQLite keeps beside a store, but only if it
 * may write: a read-only one is for a store that has these files already.
 */
export function openToLook(driver: Driver, file: string): SqliteConnection {
  const database = new driver.DatabaseSync(file, { readOnly: !existsSync(file) || existsSync(`${file}-wal`) });
  const connection = new SqliteConnection(database);
  try {
    connection.exec('PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The busy timeout does not cover switching a new file to WAL, so opening a locked file is retried. */
export async function whileLocked<T>(open: () => T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return open();
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || attempt === 50) throw error;
      await sleep(20 + attempt * 5);
    }
  }
}

export function openConnection(driver: Driver, file: string, readOnly: boolean): Promise<SqliteConnection> {
  return whileLocked(() => {
    const database = new driver.DatabaseSync(file, { readOnly });
    try {
      database.exec(readOnly ? PRAGMAS.replace('PRAGMA journal_mode = WAL;', '') : PRAGMAS);
      return new SqliteConnection(database);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}
