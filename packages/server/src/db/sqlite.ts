import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  DatabaseSyncInstance as DatabaseSync,
  StatementSyncInstance as StatementSync,
} from '@photostructure/sqlite';
import { type Database, type Dialect, type Query, StorageError, type Transaction } from './database.ts';
import type { Find, Insert, Row, Sql, SqlValue } from './sql.ts';
import { startReaderThread } from './sqlite-reader.ts';

type Driver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>;

/** `node:sqlite` where the runtime has it, else the package with the same interface. */
async function loadDriver(): Promise<Driver> {
  const builtIn = 'node:sqlite';
  try {
    return (await import(builtIn)) as Driver;
  } catch {
    return await import('@photostructure/sqlite');
  }
}

const dialect: Dialect = {
  engine: 'sqlite',
  forUpdate: '',
  lane: () => 'writer',
  texts: (values) => ({ text: '(SELECT value FROM json_each(?))', values: [JSON.stringify(values)] }),
};

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** SQLite's own words for what the storage, not the request, did wrong. */
function translate(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === SQLITE_FULL || code === SQLITE_IOERR) return new StorageError('full', error);
  if (code === SQLITE_BUSY) return new StorageError('unavailable', error);
  return error;
}

class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  statement(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= 500) this.#statements.clear();
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  all<T>({ text, values }: Sql): T[] {
    return this.statement(text).all(...values) as T[];
  }

  get<T>({ text, values }: Sql): T | undefined {
    return (this.statement(text).get(...values) ?? undefined) as T | undefined;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

const asQuery = (connection: Connection): Query => ({
  all: async (statement) => connection.all(statement),
  get: async (statement) => connection.get(statement),
});

function insertText({ table, columns, suffix = '' }: Insert): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${suffix}`;
}

function findText({ table, select, by }: Find): string {
  const keys = Object.keys(by).map((name) => `${name} = ?`);
  return `SELECT ${select} FROM ${table} WHERE ${keys.join(' AND ')}`;
}

/** The text of a constant statement is made once. */
function once<K extends object>(make: (key: K) => string): (key: K) => string {
  const texts = new WeakMap<K, string>();
  return (key) => {
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make(key);
    texts.set(key, text);
    return text;
  };
}
const insertTextOnce = once(insertText);
const findTextOnce = once(findText);

class SqliteTransaction implements Transaction {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async all<T = Row>(statement: Sql): Promise<T[]> {
    return this.#connection.all<T>(statement);
  }

  async get<T = Row>(statement: Sql): Promise<T | undefined> {
    return this.#connection.get<T>(statement);
  }

  async run({ text, values }: Sql): Promise<number> {
    return Number(this.#connection.statement(text).run(...values).changes);
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    const statement = this.#connection.statement(insertTextOnce(insert));
    const names = Object.keys(insert.columns);
    const bind = (row: Row) => names.map((name) => row[name] ?? null);
    if (insert.suffix?.includes('RETURNING')) return rows.map((row) => statement.get(...bind(row)) as T);
    for (const row of rows) statement.run(...bind(row));
    return [];
  }

  async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    const statement = this.#connection.statement(findTextOnce(find));
    return keys.map((key) => (statement.get(...key) ?? undefined) as T | undefined);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#connection.exec('SAVEPOINT one');
    try {
      const result = await work();
      this.#connection.exec('RELEASE one');
      return result;
    } catch (error) {
      const translated = translate(error);
      if (!(translated instanceof StorageError)) this.#connection.exec('ROLLBACK TO one; RELEASE one');
      throw translated;
    }
  }
}

const PRAGMAS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -32768;
  PRAGMA mmap_size = 268435456;
`;

/** The busy timeout does not cover the switch of a new file to WAL, so a locked open is tried again. */
async function openConnection(driver: Driver, file: string, readOnly: boolean): Promise<Connection> {
  for (let attempt = 1; ; attempt++) {
    const database = new driver.DatabaseSync(file, { readOnly });
    try {
      database.exec(readOnly ? PRAGMAS.replace('PRAGMA journal_mode = WAL;', '') : PRAGMAS);
      return new Connection(database);
    } catch (error) {
      database.close();
      if (primaryCode(error) !== SQLITE_BUSY || attempt === 50) throw error;
      await sleep(20 + attempt * 5);
    }
  }
}

class SqliteDatabase implements Database {
  readonly dialect = dialect;
  readonly read: Query;
  readonly scan: Query;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #readerThread: ReturnType<typeof startReaderThread>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(writer: Connection, reader: Connection, file: string) {
    this.#writer = writer;
    this.#reader = reader;
    this.read = asQuery(reader);
    this.#readerThread = startReaderThread(file);
    this.scan = this.#readerThread;
  }

  /** Transactions take turns; within one, nothing waits for anything but the disk. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const run = async (): Promise<T> => {
      this.#begin();
      try {
        const result = await work(new SqliteTransaction(this.#writer));
        this.#writer.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollback();
        throw translate(error);
      }
    };
    const result = this.#turn.then(run, run);
    this.#turn = result.catch(() => {});
    return result;
  }

  #begin(): void {
    try {
      this.#writer.exec('BEGIN IMMEDIATE');
    } catch (error) {
      throw translate(error);
    }
  }

  /** SQLite ends the transaction by itself on some errors, a full disk among them. */
  #rollback(): void {
    try {
      this.#writer.exec('ROLLBACK');
    } catch {}
  }

  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  async maintain(statement: Sql): Promise<void> {
    this.#writer.all(statement);
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#readerThread.close();
    this.#reader.close();
    this.#writer.close();
  }
}

export async function openSqlite(directory: string): Promise<Database> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'mem.db');
  const driver = await loadDriver();
  const writer = await openConnection(driver, file, false);
  const reader = await openConnection(driver, file, true);
  return new SqliteDatabase(writer, reader, file);
}
