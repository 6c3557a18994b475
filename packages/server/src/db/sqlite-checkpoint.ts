import { stat } from 'node:fs/promises';
import { SqliteReader } from './sqlite-reader.ts';

const MAX_WAL_BYTES = 32 * 1024 * 1024;
const COMMITS_PER_LOOK = 8;

/**
 * Moves what was committed from the WAL into the file, on a thread of its own: done by the writer, it would hold up
 * every request for as long as the disk takes. The first step runs beside the writes; the second makes them wait only
 * for what came meanwhile, and lets the WAL begin again.
 */
export class Checkpointer {
  readonly #file: string;
  #commits = 0;
  #running: Promise<void> | undefined;
  #thread: SqliteReader | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  committed(): void {
    if (++this.#commits % COMMITS_PER_LOOK !== 0 || this.#running !== undefined) return;
    this.#running = this.#look().finally(() => {
      this.#running = undefined;
    });
  }

  /** What cannot be moved now, for want of room or because others read, stays in the WAL and is as safe there. */
  async #look(): Promise<void> {
    try {
      if ((await stat(`${this.#file}-wal`)).size < MAX_WAL_BYTES) return;
      this.#thread ??= new SqliteReader(this.#file, { readOnly: false });
      for (const mode of ['PASSIVE', 'RESTART'])
        await this.#thread.all({ text: `PRAGMA wal_checkpoint(${mode})`, values: [] });
    } catch {}
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#thread?.close();
  }
}
