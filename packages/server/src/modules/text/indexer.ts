import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachableFile, Database, Query } from '../../db/index.ts';
import { isUnusable } from '../../db/index.ts';
import {
  accountStatement,
  type LogEvent,
  readAccount,
  readCreation,
  readPosition,
  type Services,
  stampStatement,
} from '../../kernel/index.ts';
import { headStatements } from '../entries/index.ts';
import { FORMAT, OBJECTS } from './file/queries.ts';
import { type IndexProgress, WordsThread } from './file/words-thread.ts';
import { countBehind, type IndexCursor, readIndexCursor, readIndexShape } from './queries.ts';

/** Writes that are indexed at once; fewer wait until the store was quiet for a while. */
const WAKE_WRITES = 1000;
const QUIET_MS = 5000;

/** Beyond this many writes that are not indexed, new ones wait for the index; far earlier where a search waits for it. */
const MAX_BEHIND = 50_000;
const MAX_BEHIND_SEARCHED = 2000;
const THROTTLE_MS = 50;

/** Accounts whose distance to the index was looked up. */
const MAX_MEASURED = 10_000;

/** After a failure, such as a full disk, the index is left alone for this long. */
const RETRY_MS = 5000;

/** A file that was found to be sound is not examined again for this long. */
const EXAMINE_MS = 60_000;

/**
 * Keeps the file of words in step with the log, on SQLite. Writes do not wait for it: a search reads what the index does not
 * have yet from the entries themselves. Any process on the store may index; the file's lock lets one do it at a time.
 */
export class Indexer {
  readonly #file: AttachableFile;
  readonly #read: Query;
  readonly #scan: Query;
  readonly #thread: WordsThread;
  readonly #onError: (error: unknown) => void;
  readonly #due = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** Writes since the last batch, and those that it left. */
  #unindexed = 0;
  #indexing = 0;
  /** Searches that wait for the index. */
  #searches = 0;
  #running: Promise<void> | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #verified: string | undefined;
  #released: string | undefined;
  #soundAt = Number.NEGATIVE_INFINITY;
  readonly #measured = new Set<string>();
  /** Accounts that the index was made from, and not from those of another store. */
  readonly #own = new Set<string>();
  #measuring: Promise<void> | undefined;
  #closed = false;

  constructor(
    file: AttachableFile,
    { read, scan }: Pick<Database, 'read' | 'scan'>,
    onError: (error: unknown) => void,
  ) {
    this.#file = file;
    this.#read = read;
    this.#scan = scan;
    this.#onError = onError;
    const { path, store } = file;
    const statements = { ...headStatements, account: accountStatement, stamp: stampStatement };
    this.#thread = new WordsThread({ path, store, statements }, (progress) => this.#progressed(progress));
    file.throttle = () => (this.#isTooFarBehind ? this.#nextProgress(THROTTLE_MS) : undefined);
  }

  get #isTooFarBehind(): boolean {
    const behind = this.#indexing + this.#unindexed;
    return behind > (this.#searches > 0 ? MAX_BEHIND_SEARCHED : MAX_BEHIND) && !this.#isFailing;
  }

  /** Called after every commit of this process. */
  committed(events: readonly LogEvent[], accountId: string): void {
    if (!this.#measured.has(accountId)) this.#measuring = this.#measure(accountId, events.at(-1)?.seq ?? 0);
    this.#due.add(accountId);
    this.#unindexed += events.length;
    if (this.#unindexed >= WAKE_WRITES) this.#wake();
    else this.#quiet ??= setTimeout(() => this.#wake(), QUIET_MS).unref();
  }

  /** Many processes that write little and end would otherwise leave everything to the others. */
  async #measure(accountId: string, seq: number): Promise<void> {
    if (this.#measured.size >= MAX_MEASURED) this.#measured.clear();
    this.#measured.add(accountId);
    const position = await this.position(accountId).catch(() => seq);
    this.#unindexed += Math.max(0, seq - (position ?? 0));
    if (this.#unindexed >= WAKE_WRITES) this.#wake();
  }

  /** Called once in a process that stays: an older store has no file of words yet. */
  async look(accountId: string): Promise<void> {
    const account = await readAccount(this.#read, accountId);
    const position = await this.position(accountId);
    if (account && account.seq - (position ?? 0) >= WAKE_WRITES) this.request(accountId);
  }

  /** Indexes an account that a search found to be behind. */
  request(accountId: string): void {
    this.#due.add(accountId);
    this.#wake();
  }

  #wake(): void {
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    if (this.#running || this.#closed || this.#due.size === 0) return;
    if (this.#isFailing) {
      this.#quiet = setTimeout(() => this.#wake(), RETRY_MS).unref();
      return;
    }
    this.#running = this.#index().finally(() => {
      this.#running = undefined;
      this.#report();
      if (this.#unindexed >= WAKE_WRITES) this.#wake();
      else if (this.#due.size > 0) this.#quiet ??= setTimeout(() => this.#wake(), QUIET_MS).unref();
    });
  }

  async #index(): Promise<void> {
    const accounts = [...this.#due];
    this.#due.clear();
    this.#indexing = this.#unindexed;
    this.#unindexed = 0;
    try {
      await this.#thread.run({ task: 'index', accounts });
      this.#failedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      for (const account of accounts) this.#due.add(account);
      this.#failed(error);
    } finally {
      this.#indexing = 0;
    }
  }

  get #isFailing(): boolean {
    return performance.now() - this.#failedAt < RETRY_MS;
  }

  #failed(error: unknown): void {
    this.#failedAt = performance.now();
    this.#onError(new Error('the index of words could not be written', { cause: error }));
  }

  #progressed({ account_id, reached, head }: IndexProgress): void {
    if (reached < head) this.#due.add(account_id);
    this.#unindexed = 0;
    this.#indexing = Math.max(0, head - reached);
    this.#report();
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Waits for the next batch, or that long. */
  async #nextProgress(ms: number): Promise<void> {
    this.#wake();
    const waiting = new AbortController();
    await Promise.race([
      new Promise<void>((resolve) => this.#listeners.add(resolve)),
      sleep(ms, undefined, { signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }

  /** Waits until the index has moved on, or that long. */
  async advance(accountId: string, ms: number): Promise<void> {
    this.#due.add(accountId);
    this.#searches++;
    try {
      await this.#nextProgress(ms);
    } finally {
      this.#searches--;
    }
  }

  /** How far the index goes in the log of an account; undefined where there is no index that could be searched. */
  async position(accountId: string): Promise<number | undefined> {
    const cursor = await this.#readCursor(accountId);
    if (typeof cursor !== 'object') return cursor;
    if (!this.#own.has(accountId)) {
      if ((await readCreation(this.#read, accountId)) !== cursor.created_at) return undefined;
      const { stamp } = (await readPosition(this.#read, accountId, cursor.seq)) ?? { stamp: 0 };
      if (cursor.stamp !== 0 && cursor.stamp !== stamp) return undefined;
      if (this.#own.size >= MAX_MEASURED) this.#own.clear();
      this.#own.add(accountId);
    }
    return cursor.seq;
  }

  /** Reads nothing but the file of words, so what fails is that file: it is made again. */
  async #readCursor(accountId: string): Promise<IndexCursor | 0 | undefined> {
    let identity: string | undefined;
    try {
      identity = await this.#file.attach();
      if (identity === undefined) return undefined;
      if (identity !== this.#verified) {
        const { objects, format } = await readIndexShape(this.#read);
        if (objects !== OBJECTS || format !== FORMAT) return undefined;
        this.#verified = identity;
        this.#own.clear();
      }
      return (await readIndexCursor(this.#read, accountId)) ?? 0;
    } catch (error) {
      if (isGone(error)) return undefined;
      if (!isUnusable(error)) throw error;
      // What cannot be attached is the file that is there now.
      identity ??= this.#file.identity;
      if (identity !== undefined) await this.#thread.run({ task: 'discard', identity });
      return undefined;
    }
  }

  /**
   * Called when a search failed that read both the store and the file of words. Returns whether it was the file, which is then
   * made again.
   */
  async repair(): Promise<boolean> {
    if (this.#file.identity !== this.#verified) return true;
    if (performance.now() - this.#soundAt < EXAMINE_MS) return false;
    if (await this.#thread.run({ task: 'examine' }).catch(() => false)) return true;
    this.#soundAt = performance.now();
    return false;
  }

  /** Another process, or somebody, may have removed or replaced the file. */
  async release(): Promise<void> {
    await this.#file.release();
    const { identity } = this.#file;
    if (identity === this.#released) return;
    this.#released = identity;
    if (this.#thread.isRunning) await this.#thread.run({ task: 'release' });
  }

  /** Changes that the index does not have, over all accounts. */
  async countBehind(): Promise<number> {
    const isIndexed = (await this.#file.attach()) !== undefined;
    return countBehind(this.#scan, { isIndexed });
  }

  /** Removes erased entries from the file, and rewrites it. */
  async compact(): Promise<boolean> {
    if ((await this.#file.attach().catch(() => '')) === undefined) return true;
    return this.#thread.run({ task: 'compact' });
  }

  /** Waits for what is being indexed. A thread that runs already takes the rest too, however little it is. */
  async drain(): Promise<void> {
    await this.#running;
    if (this.#thread.isRunning) this.#wake();
    await this.#running;
  }

  async close(): Promise<void> {
    await this.#measuring;
    // A little is worth waiting for; a thread that is busy ends after its batch.
    if (this.#running === undefined) await this.drain();
    this.#closed = true;
    clearTimeout(this.#quiet);
    await this.#thread.close();
    await this.#running;
  }
}

/** The file was detached since the search began. */
const isGone = (error: unknown): boolean => /^no such table: words\./.test((error as Error).message);

/** Runs a search, and once more if it failed because of the file of words. */
export async function withSoundWords<T>(services: Pick<Services, 'database'>, search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    const indexer = indexerOf(services);
    if (!indexer || !(isGone(error) || (isUnusable(error) && (await indexer.repair())))) throw error;
    return search();
  }
}

export const indexers = new WeakMap<AttachableFile, Indexer>();

/** Undefined on PostgreSQL, where words are columns of the entries. */
export const indexerOf = ({ database }: Pick<Services, 'database'>): Indexer | undefined =>
  database.words && indexers.get(database.words);
