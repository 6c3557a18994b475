import { chmodSync, closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { identityIn, identityOf } from '../../../db/sqlite-attached.ts';
import { primaryCode, SQLITE_CORRUPT } from '../../../db/sqlite-errors.ts';
import { markAll, markOf, rowidOf, rowidsOf, shortText } from '../indexing.ts';
import { wordsOfEntry } from '../rules/words.ts';
import { ofStore } from './errors-of-store.ts';
import * as queries from './queries.ts';

type Value = string | number | null;
type Statement = {
  run(...values: Value[]): unknown;
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
};
type Connection = { exec(text: string): void; prepare(text: string): Statement; close(): void };
/** The part of the driver that is used here; the thread chooses the driver. */
export type FileDriver = { DatabaseSync: new (file: string, options: { readOnly: boolean }) => Connection };

/** Statements on the store. Their owners write them; the thread gets them as texts. */
export type StoreStatements = {
  /** `account_id` → number, seq, created_at, deleted_at. */
  account: string;
  /** `account_id`, seq → stamp. */
  stamp: string;
  /** `account_id` → branch. */
  branches: string;
  /** `account_id`, branch, after, limit → seq. */
  seqs: string;
  /** `account_id`, branch, seq → entry_id, deleted, document. */
  head: string;
  /** `account_id`, first, last → entry_id. */
  entries: string;
};

export type WordsFileOptions = { path: string; store: string; statements: StoreStatements };
type StoreAccount = { number: number; seq: number; created_at: number; deleted_at: number | null };
type FileCursor = { created_at: number; seq: number; stamp: number };
type IndexedHead = { entry_id: number; deleted: number; document: string };
type HeadPlace = { seq: number; branch: string };

/** Entries of one transaction: 2,000 together take half the time per entry that 50 do. */
const BATCH_ENTRIES = 2000;
const BATCH_CHARACTERS = 16 * 1024 * 1024;
const RECONCILED_ENTRIES = 1000;
const PAGES_PER_STEP = 250;

/**
 * The index of words in a file of its own, as its one writer at a time sees it. What is committed to it says how far it
 * goes, so it may end at any moment; the lock of a transaction is the claim on the work.
 */
export class WordsFile {
  readonly #driver: FileDriver;
  readonly #options: WordsFileOptions;
  readonly #statements = new Map<string, Statement>();
  #words: Connection;
  #store: Connection;
  #identity = '';

  constructor(driver: FileDriver, options: WordsFileOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#store = ofStore(() => new driver.DatabaseSync(options.store, { readOnly: true }));
    try {
      ofStore(() => this.#store.exec(queries.STORE_PRAGMAS));
      this.#words = this.#open();
    } catch (error) {
      this.#store.close();
      throw error;
    }
  }

  /** Whether the path leads elsewhere now, or nowhere: what is written to this file, nobody would find. */
  get isReplaced(): boolean {
    return identityOf(this.#options.path) !== this.#identity;
  }

  #open(): Connection {
    const { path } = this.#options;
    const created = openSync(path, 'a', 0o600);
    this.#identity = identityIn(fstatSync(created));
    closeSync(created);
    chmodSync(path, 0o600);
    const words = new this.#driver.DatabaseSync(path, { readOnly: false });
    try {
      words.exec(queries.PRAGMAS);
      words.exec('BEGIN IMMEDIATE');
      const { objects } = words.prepare(queries.listObjects).get() as { objects: string };
      const { user_version } = words.prepare(queries.readFormat).get() as { user_version: number };
      if (objects === '') words.exec(queries.CREATE);
      else if (objects !== queries.OBJECTS) throw new Error('the file of words has other tables than it should');
      else if (user_version !== queries.FORMAT) words.exec(queries.DROP + queries.CREATE);
      words.exec('COMMIT');
      return words;
    } catch (error) {
      words.close();
      throw error;
    }
  }

  /** Removes the file; the next one begins with nothing. */
  static remove({ path }: Pick<WordsFileOptions, 'path'>): void {
    for (const end of ['-wal', '-shm', '-journal', '']) rmSync(path + end, { force: true });
  }

  /** Reads all of the file, on a connection that knows nothing of it yet. Throws where it is damaged. */
  static examine(driver: FileDriver, { path }: Pick<WordsFileOptions, 'path'>): void {
    const words = new driver.DatabaseSync(path, { readOnly: false });
    try {
      words.exec(queries.PRAGMAS);
      const { quick_check } = words.prepare(queries.checkPages).get() as { quick_check: string };
      if (quick_check !== 'ok') throw Object.assign(new Error(quick_check), { errcode: SQLITE_CORRUPT });
      words.exec(queries.checkWords);
    } finally {
      words.close();
    }
  }

  #statement(connection: Connection, text: string): Statement {
    const known = this.#statements.get(text) ?? connection.prepare(text);
    this.#statements.set(text, known);
    return known;
  }

  /** Runs in one transaction of the file, with the state of the store at one moment after its beginning. */
  #transaction<T>(work: () => T): T {
    this.#words.exec('BEGIN IMMEDIATE');
    try {
      ofStore(() => this.#store.exec('BEGIN'));
      try {
        const result = work();
        this.#words.exec('COMMIT');
        return result;
      } finally {
        ofStore(() => this.#store.exec('ROLLBACK'));
      }
    } catch (error) {
      try {
        this.#words.exec('ROLLBACK');
      } catch {
        // SQLite may have ended it.
      }
      throw error;
    }
  }

  /** Adds the next entries of an account. Returns how far the index goes, and the end of the account's log. */
  indexSome(accountId: string): { reached: number; head: number } {
    return this.#transaction(() => {
      const account = this.#readAccount(accountId);
      if (!account || account.deleted_at !== null) return { reached: 0, head: 0 };
      const { number, created_at, seq: head } = account;
      const cursor = this.#cursorOf(accountId, account);
      if (cursor >= head) return { reached: cursor, head };
      const places = this.#placesAfter(accountId, cursor);
      const isCut = places.length > BATCH_ENTRIES;
      if (isCut) places.length = BATCH_ENTRIES;
      const last = this.#add(accountId, number, places);
      const isAll = !isCut && last === places.at(-1)?.seq;
      const reached = places.length === 0 || isAll ? head : last;
      const stamp = this.#stampAt(accountId, reached);
      this.#statement(this.#words, queries.writeCursor).run(accountId, number, created_at, reached, stamp);
      return { reached, head };
    });
  }

  #readAccount(accountId: string): StoreAccount | undefined {
    const { account } = this.#options.statements;
    return ofStore(() => this.#statement(this.#store, account).get(accountId)) as StoreAccount | undefined;
  }

  #stampAt(accountId: string, seq: number): number {
    const found = ofStore(() => this.#statement(this.#store, this.#options.statements.stamp).get(accountId, seq));
    return (found as { stamp: number } | undefined)?.stamp ?? 0;
  }

  /** An index of another store, or of a state that the store no longer has, is of no use. */
  #cursorOf(accountId: string, { created_at, seq }: StoreAccount): number {
    const found = this.#statement(this.#words, queries.readCursor).get(accountId) as FileCursor | undefined;
    if (!found) return 0;
    const isOfStore = found.created_at === created_at && found.seq <= seq;
    if (isOfStore && (found.stamp === 0 || found.stamp === this.#stampAt(accountId, found.seq))) return found.seq;
    this.#statements.clear();
    this.#words.exec(queries.DROP + queries.CREATE);
    return 0;
  }

  /** The places of the next heads, over all branches, and one more than a batch. */
  #placesAfter(accountId: string, after: number): HeadPlace[] {
    const { branches, seqs } = this.#options.statements;
    const found = ofStore(() => this.#statement(this.#store, branches).all(accountId)) as { branch: string }[];
    const places = found.flatMap(({ branch }) => {
      const rows = ofStore(() => this.#statement(this.#store, seqs).all(accountId, branch, after, BATCH_ENTRIES + 1));
      return (rows as { seq: number }[]).map(({ seq }) => ({ seq, branch }));
    });
    return found.length === 1 ? places : places.sort((a, b) => a.seq - b.seq);
  }

  /** Returns the last place that was within the limit of a batch. */
  #add(accountId: string, number: number, places: readonly HeadPlace[]): number {
    const mark = markOf(number);
    const [readIndexed, deleteWords, insertWords, writeIndexed, deleteIndexed] = [
      ...[queries.readIndexed, queries.deleteWords, queries.insertWords],
      ...[queries.writeIndexed, queries.deleteIndexed],
    ].map((text) => this.#statement(this.#words, text)) as [Statement, Statement, Statement, Statement, Statement];
    let characters = 0;
    let last = 0;
    for (const { seq, branch } of places) {
      if (characters > BATCH_CHARACTERS) break;
      last = seq;
      const found = this.#readHead(accountId, branch, seq);
      if (!found) continue;
      const { entry_id, deleted, document, words } = found;
      const entry = rowidOf(number, entry_id);
      // The number of an entry is that of its first version, so a new one is in no index.
      const old = entry_id === seq ? undefined : (readIndexed.get(entry) as { seq: number } | undefined);
      if (old) deleteWords.run(rowidOf(number, old.seq));
      if (deleted !== 1) {
        insertWords.run(rowidOf(number, seq), markAll(mark, words));
        writeIndexed.run(entry, seq, shortText(words));
      } else if (old) deleteIndexed.run(entry);
      characters += document.length;
    }
    return last;
  }

  /** Undefined where there is none any more, or the store is damaged: the other entries are indexed all the same. */
  #readHead(accountId: string, branch: string, seq: number): (IndexedHead & { words: string[] }) | undefined {
    const head = this.#statement(this.#store, this.#options.statements.head);
    try {
      const found = ofStore(() => head.get(accountId, branch, seq)) as IndexedHead | undefined;
      // Written again or erased since its place was read: it has a later place, or none.
      if (!found) return undefined;
      return { ...found, words: found.deleted !== 1 ? wordsOfEntry(JSON.parse(found.document)) : [] };
    } catch (error) {
      if (primaryCode(error) === SQLITE_CORRUPT || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** Removes entries from the index that the store no longer has. Returns where to go on; undefined at the end. */
  reconcileSome({ number, account_id }: IndexedAccount, after: number | undefined): number | undefined {
    const { first, end } = rowidsOf(number);
    return this.#transaction(() => {
      const listed = this.#statement(this.#words, queries.listIndexed).all(after ?? first, end, RECONCILED_ENTRIES);
      const rows = listed as { entry: number; seq: number }[];
      const [from, to] = [rows[0], rows.at(-1)];
      if (!from || !to) return undefined;
      const found = this.#statement(this.#store, this.#options.statements.entries);
      const range = [account_id, from.entry - first, to.entry - first] as const;
      const rowsThere = ofStore(() => found.all(...range)) as { entry_id: number }[];
      const there = new Set(rowsThere.map(({ entry_id }) => entry_id));
      for (const { entry, seq } of rows) {
        if (there.has(entry - first)) continue;
        this.#statement(this.#words, queries.deleteWords).run(rowidOf(number, seq));
        this.#statement(this.#words, queries.deleteIndexed).run(entry);
      }
      return to.entry;
    });
  }

  get accounts(): IndexedAccount[] {
    return this.#words.prepare(queries.listAccounts).all() as IndexedAccount[];
  }

  /** One step of rewriting the index without what was deleted. Returns whether more steps are needed. */
  mergeSome(isFirst: boolean): boolean {
    const changes = () => (this.#words.prepare(queries.countChanges).get() as { n: number }).n;
    const before = changes();
    // A negative number starts a merge of all segments; the following steps continue it.
    this.#statement(this.#words, queries.mergeWords).run(isFirst ? -PAGES_PER_STEP : PAGES_PER_STEP);
    // A step with nothing to merge changes one row at most.
    return changes() - before >= 2;
  }

  /** Rewrites the file, so that no byte of what was deleted is left in it. */
  rewrite(): void {
    this.#statements.clear();
    this.#words.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Leaves nothing in the log of the file, which keeps what was replaced. */
  emptyLog(): void {
    this.#words.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#statements.clear();
    this.#words.close();
    this.#store.close();
  }
}

export type IndexedAccount = { number: number; account_id: string };
