import { statSync } from 'node:fs';
import type { AttachableFile } from './database.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteReader } from './sqlite-reader.ts';

const ATTACH = 'ATTACH ? AS words';
const DETACH = 'DETACH words';

/** Joins a file beside the store to the connections that read, as the schema `words`, and again when it was replaced. */
export class AttachedFile implements AttachableFile {
  readonly path: string;
  readonly store: string;
  /** Delays writes while it returns a promise. */
  throttle: (() => Promise<void> | undefined) | undefined;
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
    if (this.#identity() === this.#attached) return this.#attached;
    const turn = this.#turn.then(() => this.#change());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #identity(): string | undefined {
    const found = statSync(this.path, { throwIfNoEntry: false });
    return found && found.size > 0 ? `${found.dev} ${found.ino} ${found.birthtimeMs}` : undefined;
  }

  async #change(): Promise<string | undefined> {
    const identity = this.#identity();
    if (identity === this.#attached) return identity;
    if (this.#attached !== undefined) {
      this.#attached = undefined;
      this.#scan.attach = undefined;
      this.#reader.statement(DETACH).run([]);
      await this.#scan.all({ text: DETACH, values: [] });
    }
    if (identity === undefined) return undefined;
    this.#reader.statement(ATTACH).run([this.path]);
    try {
      this.#reader.exec('PRAGMA words.cache_size = -16384; PRAGMA words.mmap_size = 268435456');
      await this.#scan.all({ text: ATTACH, values: [this.path] });
    } catch (error) {
      this.#reader.statement(DETACH).run([]);
      throw error;
    }
    this.#scan.attach = this.path;
    this.#attached = identity;
    return identity;
  }
}
