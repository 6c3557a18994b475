import type { CachedFind } from './row-cache.ts';
import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';

export type Engine = 'sqlite' | 'postgres';

/** How many bytes of text some columns of all rows together may have. */
export type ByteLimit = {
  columns: readonly string[];
  bytes: number;
  /** The most bytes that the rows can have, where each has a limit of its own: if that is enough, they are not counted. */
  most?: number;
};

/** The first rows of a statement; `more` says that others follow. */
export type FirstRows<T> = { rows: T[]; more: boolean };

export interface Query {
  all<T = Row>(statement: Sql): Promise<T[]>;
  /**
   * Returns rows as long as they are within a limit of bytes, and at least one. What the limit cuts off is not read into the
   * memory of the service. The order of the statement must not need a sort of these columns.
   */
  first<T = Row>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>>;
  get<T = Row>(statement: Sql): Promise<T | undefined>;
  /** One result per key, in order, with a few statements for any number of keys. */
  findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]>;
}

/**
 * A write transaction. Statements run in the order of the calls. Make calls that do not need each other's results
 * together (`Promise.all`): on PostgreSQL this saves a round trip each.
 */
export interface Transaction extends Query {
  /** Sets the account of the following statements: with row-level security, they can use no other account's rows. */
  enter(accountId: string): void;
  /** The same for several accounts at once. */
  enterAll(accountIds: readonly string[]): void;
  run(statement: Sql): Promise<number>;
  /** Returns the `RETURNING` columns of the suffix; no row where a conflict skipped the insert. */
  insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]>;
  updateMany(update: Update, rows: readonly Row[]): Promise<void>;
  /** Rolls back only the effects of `work` when it throws. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Its statements run where they delay nobody. `large`: it may change very much. `long`: thousands of rows, step by step, while
 * others write.
 */
export type TransactionKind = 'large' | 'long';

/** Differences between the engines, as data and small functions. */
export interface Dialect {
  engine: Engine;
  /** Appended to a SELECT to lock its row until the end of the transaction. */
  forUpdate: string;
  /** The same, but skips rows that another transaction has locked. */
  skipLocked: string;
  /** Appended to a SELECT to keep other transactions from changing its rows until this one ends. */
  forShare: string;
  /** Ends a subquery that PostgreSQL must carry out as it is written, for each row, instead of joining whole tables. */
  fence: string;
  /** Joins rows of a table, or nulls, looked up for each row. Table and condition must be constants in the code. */
  leftJoin(table: string, on: string): string;
  /** Writes in different lanes may run concurrently; writes in one lane share transactions. */
  lane(accountId: string): string;
  /** A list of texts as a one-column table `(value)`. */
  texts(values: readonly string[]): Sql;
  /** A list of integers as a one-column table `(value)`. */
  numbers(values: readonly number[]): Sql;
  /** A list of text pairs as a table `pairs (a, b)`. */
  pairs(values: readonly (readonly [string, string])[]): Sql;
  /** A member of a JSON object that is stored as text. Column and path must be constants in the code. */
  jsonMember(column: string, path: readonly string[], as: 'text' | 'flag'): string;
}

/** Called when another process on the same store announces a position in a topic. */
export type AnnouncementListener = (topic: string, place: number) => void;

/** Shows other processes on the store that this one holds unwritten data in memory. */
export interface PendingMarks {
  raise(): void;
  lower(): void;
  /** Raised marks of other processes, with their times. */
  others(): { since: number }[];
}

/** A database in a file beside the store's, for data that can be rebuilt from it. */
export interface AttachableFile {
  readonly path: string;
  /** The file of the store itself. */
  readonly store: string;
  /**
   * Makes the file readable as the schema `words` of `read` and `scan`. Returns what distinguishes it from a file that replaces it;
   * undefined where there is none.
   */
  attach(): Promise<string | undefined>;
  /** Closes what was attached where it was removed or replaced since: the system keeps its bytes until then. */
  release(): Promise<void>;
  /** As `attach` returns it, without attaching. */
  readonly identity: string | undefined;
  /** Delays writes while it returns a promise. */
  throttle: (() => Promise<void> | undefined) | undefined;
  /** How many changes of the store it does not have yet. */
  countBehind: (() => Promise<number>) | undefined;
}

/** The store as it was at one moment, while the snapshot is open. */
export type Snapshot = Query & { close(): Promise<void> };

export interface AccountReads {
  /** Short reads, on the caller's own thread. */
  readonly read: Query;
  /** Reads that may take milliseconds; they never delay short ones. */
  readonly scan: Query;
  /** The row with this key as it is now. A store that can be sure may know it without reading it again: do not change it. */
  find<T = Row>(find: CachedFind, key: readonly SqlValue[]): Promise<Readonly<T> | undefined>;
}

/** The newest migration of the modules that a process has. */
export type OwnMigrations = { newest: number; modules: readonly string[] };

/**
 * Its own reads are over all accounts, to find the account of a key or row. With row-level security they see only the
 * few columns needed for that; everything else is read through `forAccount`.
 */
export interface Database extends AccountReads {
  readonly dialect: Dialect;
  /** How many transactions at a time write for several accounts each; 0 where all writes share one. */
  readonly sharedLanes: number;
  /** Reads limited to one account. */
  forAccount(accountId: string): AccountReads;
  /** For reads of an account in many steps that must be consistent. */
  snapshot(accountId: string): Promise<Snapshot>;
  /** For writes to accounts; it must `enter` each account first. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, kind?: TransactionKind): Promise<T>;
  /** Maintenance over all accounts, with only the rights it needs. */
  maintenanceTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs a maintenance statement outside any transaction, without a time limit. */
  maintain(statement: Sql): Promise<void>;
  /** Maintenance without a time limit, under a lock that excludes other processes. */
  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The same for changes of the schema, as the owner of the tables. */
  alter<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * From now on write transactions fail with `migrated` where the store has had other migrations of these modules; the first that
   * does is reported.
   */
  expectSchema(own: OwnMigrations, onOther: (error: StorageError) => void): void;
  /**
   * Notifies other processes on the store with a short delay; only the latest position of a topic is sent.
   * Notifications may get lost, so the others also poll.
   */
  announce(topic: string, place: number): void;
  /** Subscribes to announcements of other processes; returns the function that unsubscribes. */
  onAnnounce(listener: AnnouncementListener): () => void;
  /**
   * Instead of `alter` where the store is opened for reading only: changes nothing, and refuses a store that is not as this
   * version makes it. Present on PostgreSQL.
   */
  takeAsFound?<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** How many connections broke so far: the next ones may lead to another server, with another past. */
  readonly lostConnections: number;
  /** False where the store can be read but takes no writes now, such as a standby of PostgreSQL. */
  isWritable(): Promise<boolean>;
  /** Present on SQLite, where processes cannot send messages to each other. */
  readonly marks?: PendingMarks;
  /** Present on SQLite, which has the words of entries in a file of their own. */
  readonly words?: AttachableFile;
  close(): Promise<void>;
}

/**
 * `refused`: a retry does not help, such as a wrong password or a read-only folder. `misconfigured`: the settings contradict
 * each other, or what is at the address. `damaged`: bytes are not what was stored.
 * `migrated`: the store is no longer as this process knows it.
 */
export type StorageFailure =
  | 'full'
  | 'unavailable'
  | 'refused'
  | 'misconfigured'
  | 'damaged'
  | 'read_only'
  | 'migrated';

const FAILURES: Record<StorageFailure, string> = {
  full: 'the storage is full',
  unavailable: 'the database cannot be reached',
  refused: 'the database cannot be used',
  misconfigured: 'the database cannot be used',
  damaged: 'the stored data is damaged',
  read_only: 'the store is opened for reading only',
  migrated: 'another version of mem has migrated the store',
};

/** A row conflicts with existing rows. */
export function isConstraintError(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return (
    (typeof code === 'string' && /^23\d{3}$/.test(code)) || (typeof errcode === 'number' && (errcode & 0xff) === 19)
  );
}

/** The storage cannot do it now; the request is valid. */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly reason: StorageFailure;
  /** The driver's message: for the log, not for callers. */
  readonly why: string;
  /** The variable and the address that failed, where it is not that of the store. */
  readonly where: string | undefined;

  constructor(reason: StorageFailure, cause: unknown, where?: string) {
    super(FAILURES[reason], { cause });
    this.reason = reason;
    this.where = where;
    const { message, code } = (cause ?? {}) as { message?: string; code?: string };
    this.why = message || code || this.message;
  }
}
