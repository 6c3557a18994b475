import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccountReads,
  type Database,
  type Dialect,
  type OwnMigrations,
  type Query,
  type Snapshot,
  StorageError,
  type Transaction,
  type TransactionKind,
} from './database.ts';
import { CACHE_LIMITS, type CachedFind, type CacheLimits } from './row-cache.ts';
import { SchemaGuard } from './schema-guard.ts';
import type { Row, Sql, SqlValue } from './sql.ts';
import { AttachedFile } from './sqlite-attached.ts';
import { Checkpointer, emptyLog } from './sqlite-checkpoint.ts';
import { loadDriver, openConnection, PRAGMAS, type SqliteConnection } from './sqlite-connection.ts';
import { primaryCode, SQLITE_BUSY, translate } from './sqlite-errors.ts';
import { SqliteKnownRows } from './sqlite-known-rows.ts';
import { FolderMarks } from './sqlite-marks.ts';
import { refuseForeign } from './sqlite-owned.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { SqliteThreadTransaction } from './sqlite-thread-transaction.ts';
import { SqliteTransaction } from './sqlite-transaction.ts';
import { keepPrivate, makeStoreFolder } from './store-folder.ts';

const dialect: Dialect = {
  engine: 'sqlite',
  forUpdate: '',
  skipLocked: '',
  forShare: '',
  fence: '',
  leftJoin: (table, on) => ` LEFT JOIN ${table} ON ${on}`,
  lane: () => 'writer',
  texts: (values) => ({ text: '(SELECT value FROM json_each(?)) AS texts', values: [JSON.stringify(values)] }),
  numbers: (values) => ({ text: '(SELECT value FROM json_each(?)) AS numbers', values: [JSON.stringify(values)] }),
  pairs: (values) => ({
    text: '(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?)) AS pairs',
    values: [JSON.stringify(values)],
  }),
  jsonMember: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
};

async function translated<T>(run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    throw translate(error);
  }
}

const asQuery = (connection: SqliteConnection): Query => ({
  all: (statement) => translated(() => connection.all(statement)),
  get: (statement) => translated(() => connection.get(statement)),
  first: (statement, limit) => translated(() => connection.first(statement, limit)),
  findMany: (find, keys) => translated(() => connection.findMany(find, keys)),
});

/** How long a write waits for writes of other processes. */
const WRITE_WAIT_MS = 10_000;
const MIGRATION_WAIT_MS = 60_000;

type SqliteParts = { writer: SqliteConnection; reader: SqliteConnection; file: string; limits: CacheLimits };

class SqliteDatabase implements Database {
  /** A file that is open does not become another one. */
  readonly lostConnections = 0;
  readonly dialect = dialect;
  readonly sharedLanes = 0;
  readonly read: Query;
  readonly scan: SqliteReader;
  readonly marks: FolderMarks;
  readonly words: AttachedFile;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #file: string;
  readonly #checkpointer: Checkpointer;
  readonly #known: SqliteKnownRows;
  #beside: SqliteReader | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #guard: SchemaGuard | undefined;

  constructor({ writer, reader, file, limits }: SqliteParts) {
    this.#writer = writer;
    this.#reader = reader;
    this.#file = file;
    this.marks = new FolderMarks(dirname(file));
    this.#checkpointer = new Checkpointer(file);
    this.#known = new SqliteKnownRows({ reader, writer, limits });
    this.read = asQuery(reader);
    this.scan = new SqliteReader(file);
    this.words = new AttachedFile(join(dirname(file), 'words.db'), file, { reader, scan: this.scan });
    // A process that waits for another's write keeps answering reads: `#begin` waits, not SQLite.
    writer.exec('PRAGMA busy_timeout = 0');
  }

  /** SQLite has no row-level security: only the conditions of the statements separate accounts. */
  forAccount(): AccountReads {
    return this;
  }

  find<T = Row>(find: CachedFind, key: readonly SqlValue[]): Promise<T | undefined> {
    return this.#known.find(find, key) as Promise<T | undefined>;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, kind?: TransactionKind): Promise<T> {
    if (kind === undefined) return this.#inTurn(() => this.#transact(work, WRITE_WAIT_MS));
    if (kind === 'long')
      return this.#inTurn(() => this.#transactBeside(work, () => void this.#checkpointer.committed()));
    let isChanged = false;
    const result = this.#inTurn(() =>
      this.#transactBeside(work, () => {
        isChanged = true;
      }),
    );
    void this.#inTurn(async () => {
      if (isChanged) await this.#checkpointer.largeCommitted();
    });
    return result;
  }

  /** On its own thread: other writes wait for their turn, reads continue. */
  async #transactBeside<T>(work: (tx: Transaction) => Promise<T>, onChange: () => void): Promise<T> {
    const settings = `${PRAGMAS} PRAGMA busy_timeout = ${WRITE_WAIT_MS}`;
    this.#beside ??= new SqliteReader(this.#file, { readOnly: false, settings });
    const tx = new SqliteThreadTransaction(this.#beside);
    await tx.begin();
    try {
      const guard = this.#guard;
      if (guard) guard.check((await tx.get<{ schema: number }>({ text: guard.text, values: [] }))?.schema);
      const result = await work(tx);
      if (await tx.commit()) onChange();
      return result;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  maintenanceTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  alter<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.exclusively(work);
  }

  /** On its own thread and connection, whose reads all see the state of the first one. */
  async snapshot(): Promise<Snapshot> {
    const thread = new SqliteReader(this.#file);
    try {
      await thread.all({ text: 'BEGIN', values: [] });
      return thread;
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#transact(work, MIGRATION_WAIT_MS));
  }

  /** There is one connection for writes: transactions use it one after the other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>, waitMs: number): Promise<T> {
    const slow = this.words.throttle?.();
    if (slow !== undefined) await slow;
    await this.#begin(waitMs);
    const tx = new SqliteTransaction(this.#writer, { file: this.#file, known: this.#known });
    try {
      this.#checkSchema();
      const result = await work(tx);
      const turn = tx.beforeCommit();
      if (turn !== undefined) await turn;
      tx.commit();
      void this.#checkpointer.committed();
      return result;
    } catch (error) {
      tx.rollback();
      throw error;
    }
  }

  expectSchema(own: OwnMigrations, onOther: (error: StorageError) => void): void {
    this.#guard = new SchemaGuard(own, onOther);
  }

  #checkSchema(): void {
    if (!this.#guard) return;
    try {
      this.#guard.check(this.#writer.statement(this.#guard.text).get<{ schema: number }>([])?.schema);
    } catch (error) {
      throw translate(error, this.#file);
    }
  }

  async #begin(waitMs: number): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      try {
        this.#writer.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (primaryCode(error) !== SQLITE_BUSY || performance.now() > deadline) throw translate(error, this.#file);
      }
      // A random delay, so that waiting processes do not stay in step.
      await sleep(1 + Math.random() * 4);
    }
  }

  /** On its own thread: other writes wait for their turn, reads continue. */
  maintain(statement: Sql): Promise<void> {
    return this.#inTurn(async () => {
      const thread = new SqliteReader(this.#file, { readOnly: false });
      try {
        await thread.all(statement);
      } finally {
        await thread.close();
      }
    });
  }

  /** A disk that was mounted again without writes shows only here, or in the first write. */
  async isWritable(): Promise<boolean> {
    await this.read.get({ text: 'SELECT 1 AS alive', values: [] });
    return access(this.#file, constants.W_OK).then(
      () => true,
      () => false,
    );
  }

  /** SQLite has no notifications: other processes poll the file. */
  announce(): void {}

  onAnnounce(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#checkpointer.close();
    this.#known.close();
    this.marks.close();
    await this.scan.close();
    await this.#beside?.close();
    this.#reader.close();
    this.words.closeBy(this.#writer);
    emptyLog(this.#writer, this.#file);
    this.#writer.close();
  }
}

export async function openSqlite(directory: string, limits = CACHE_LIMITS): Promise<Database> {
  const driver = await loadDriver();
  const file = join(directory, 'mem.db');
  try {
    await refuseForeign(driver, file);
    makeStoreFolder(directory);
    keepPrivate(directory);
    const writer = await openConnection(driver, file, false);
    const reader = await openConnection(driver, file, true);
    return new SqliteDatabase({ writer, reader, file, limits });
  } catch (error) {
    const failure = translate(error, file);
    throw failure === error && isFileError(error) ? new StorageError('refused', error) : failure;
  }
}

/** The folder cannot be created, or the file is damaged or not a database. */
function isFileError(error: unknown): boolean {
  const { syscall, errcode } = error as { syscall?: string; errcode?: number };
  return syscall !== undefined || errcode !== undefined;
}
