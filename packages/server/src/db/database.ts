import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';

export type Engine = 'sqlite' | 'postgres';

export interface Query {
  all<T = Row>(statement: Sql): Promise<T[]>;
  get<T = Row>(statement: Sql): Promise<T | undefined>;
  /** One answer for each key, in order: a few statements however many keys there are. */
  findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]>;
}

/**
 * A write transaction. Calls run in the order they are made; calls that do not need each other's answers are made
 * together (`Promise.all`), which on PostgreSQL saves a round trip each.
 */
export interface Transaction extends Query {
  /** From here on it is about this account: where the store guards rows, it reaches no others. */
  enter(accountId: string): void;
  run(statement: Sql): Promise<number>;
  /** Gives back what the suffix says is `RETURNING`: nothing for a row that was left out because it was there. */
  insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]>;
  updateMany(update: Update, rows: readonly Row[]): Promise<void>;
  /** Undoes only what `work` did when it throws. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** What differs between the engines, as data and small functions. */
export interface Dialect {
  engine: Engine;
  /** Appended to a SELECT to hold its row until the end of the transaction. */
  forUpdate: string;
  /** The same, but rows that another transaction holds are passed over instead of waited for. */
  skipLocked: string;
  /** Writes of two lanes may run side by side; writes of one lane share transactions. */
  lane(accountId: string): string;
  /** A set of texts as a one-column table `(value)`. */
  texts(values: readonly string[]): Sql;
  /** The same of whole numbers. */
  numbers(values: readonly number[]): Sql;
  /** A set of two texts each as a table `pairs (a, b)`. */
  pairs(values: readonly (readonly [string, string])[]): Sql;
  /** A member of a JSON object that is kept as text. Both names are written in the code. */
  jsonMember(column: string, path: readonly string[], as: 'text' | 'flag'): string;
}

/** Somebody else on the same store has come to a place in a topic. */
export type AnnouncementListener = (topic: string, place: number) => void;

/** Shows other processes on a store that this one holds something in memory which is not in the store yet. */
export interface PendingMarks {
  raise(): void;
  lower(): void;
  /** Those of other processes, and since when. */
  others(): { since: number }[];
}

/** The store as it was at one moment, for as long as it is open. */
export type Snapshot = Query & { close(): Promise<void> };

export interface AccountReads {
  /** Short reads, on the caller's own thread of work. */
  readonly read: Query;
  /** Reads that may take milliseconds; they never hold up the short ones. */
  readonly scan: Query;
}

/**
 * Its own reads are over all accounts, for finding out whose something is. Where the store guards rows, they see only the
 * few columns that takes; everything else is read through `of`.
 */
export interface Database extends AccountReads {
  readonly dialect: Dialect;
  /** What one account may see. */
  forAccount(accountId: string): AccountReads;
  /** For what is read of an account in many steps and has to fit together. */
  snapshot(accountId: string): Promise<Snapshot>;
  /** About accounts, one after the other: it enters each. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Housekeeping over all accounts, with the few rights that takes. */
  maintenanceTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs a statement outside any transaction, for maintenance, however long it takes. */
  maintain(statement: Sql): Promise<void>;
  /** Housekeeping, however long it takes, while no other process does the same. */
  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The same for changes of the schema, as the owner of the tables. */
  alter<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Tells other processes on the store, soon, and not of every place on the way. It may get lost: they look as well. */
  announce(topic: string, place: number): void;
  /** Is told what others announce; gives back how to stop that. */
  onAnnounce(listener: AnnouncementListener): () => void;
  /** Where nobody can be told or asked. */
  readonly marks?: PendingMarks;
  close(): Promise<void>;
}

/** `refused` is what trying again will not change: a wrong password, a folder that may not be written. */
export type StorageFailure = 'full' | 'unavailable' | 'refused';

const FAILURES: Record<StorageFailure, string> = {
  full: 'the storage is full',
  unavailable: 'the database cannot be reached',
  refused: 'the database cannot be used',
};

/** A row does not fit to those that are there. */
export function isConstraintError(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return (
    (typeof code === 'string' && /^23\d{3}$/.test(code)) || (typeof errcode === 'number' && (errcode & 0xff) === 19)
  );
}

/** The storage cannot do it now, but nothing is wrong with the request. */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly reason: StorageFailure;
  /** In the words of the driver: for the log, not for callers. */
  readonly why: string;

  constructor(reason: StorageFailure, cause: unknown) {
    super(FAILURES[reason], { cause });
    this.reason = reason;
    const { message, code } = (cause ?? {}) as { message?: string; code?: string };
    this.why = message || code || this.message;
  }
}
