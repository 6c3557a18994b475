import { existsSync, type Stats, statSync } from 'node:fs';
import type { AttachableFile } from './database.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { primaryCode, SQLITE_CANTOPEN } from './sqlite-errors.ts';
import type { SqliteReader } from './sqlite-reader.ts';

const ATTACH = 'ATTACH ? AS words';
const DETACH = 'DETACH words';

/** What distinguishes a file from one that replaces it at its path; undefined where there is none, or nothing in it. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.size > 0 ? identityIn(found) : undefined;
}

export const identityIn = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`;

/** Joins a file beside the store to the connections that read, as the schema `words`, and again when it was replaced. */
export class AttachedFile implements AttachableFile {
  readonly path: string;
  readonly store: string;
  /** Delays writes while it returns a promise. */
  throttle: (() => Promise<void> | undefined) | undefined;
  countBehind: (() => Promise<number>) | undefined;
  readonly #reader: SqliteConnection;
  readonly #scan: SqliteReader;
  #attached: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, store: string, { reader, scan }: { reader: SqliteConnection; scan: SqliteReader }) {
    this.path = path;
    this.store = store;
    this.#reader = reader;
    this.#scan = scan;
  }

  async attach(): Promise<string | undefined> {
    if (this.identity === this.#attached) return this.#attached;
    const turn = this.#turn.then(() => this.#change());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async release(): Promise<void> {
    if (this.#attached !== undefined && this.identity !== this.#attached) await this.attach();
  }

  get identity(): string | undefined {
    return identityOf(this.path);
  }

  /**
   * The last connection to a file removes the files that SQLite keeps beside it, but only one that may write. Called before that
   * is closed, when those that read are.
   */
  closeBy(writer: SqliteConnection): void {
    if (!existsSync(`${this.path}-wal`)) return;
    try {
      writer.statement(ATTACH).run([this.path]);
      writer.statement('SELECT count(*) FROM words.sqlite_schema').get([]);
      // A file that cannot be used is made again at the next start.
    } catch {}
  }

  async #change(): Promise<string | undefined> {
    const identity = this.identity;
    if (identity === this.#attached) return identity;
    await this.#detach();
    if (identity === undefined) return undefined;
    try {
      this.#reader.statement(ATTACH).run([this.path]);
      this.#reader.exec('PRAGMA words.cache_size = -16384; PRAGMA words.mmap_size = 268435456');
      await this.#scan.all({ text: ATTACH, values: [this.path] });
    } catch (error) {
      await this.#detach();
      if (isMissing(error)) return undefined;
      throw error;
    }
    this.#scan.attach = this.path;
    this.#attached = identity;
    return identity;
  }

  /** A connection that does not have the file, such as one of a new thread, is as it should be. */
  async #detach(): Promise<void> {
    this.#scan.attach = undefined;
    try {
      this.#reader.statement(DETACH).run([]);
    } catch (error) {
      if (!isDetached(error)) throw error;
    }
    await this.#scan.all({ text: DETACH, values: [] }).catch((error) => {
      if (!isDetached(error)) throw error;
    });
    this.#attached = undefined;
  }
}

const isDetached = (error: unknown): boolean => (error as Error).message.includes('no such database');

/** Removed since it was seen. */
const isMissing = (error: unknown): boolean =>
  primaryCode(error) === SQLITE_CANTOPEN || primaryCode((error as Error).cause) === SQLITE_CANTOPEN;
