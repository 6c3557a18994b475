import { stat } from 'node:fs/promises';
import { SqliteReader } from './sqlite-reader.ts';

const MAX_WAL_BYTES = 32 * 1024 * 1024;
const COMMITS_PER_LOOK = 8;

/**
 * Moves committed pages from the WAL into the file, on its own thread: on the writer's thread, every request would wait
 * for the disk. The first step runs beside writes; the second blocks them only for the pages added meanwhile, and
 * resets the WAL.
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

  /**
   * Pages that cannot be moved now, because the disk is full or readers need them, stay in the WAL and are just as
   * safe.
   */
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
