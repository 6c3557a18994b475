import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { SqliteReader } from './sqlite-reader.ts';

export const MAX_WAL_BYTES = 32 * 1024 * 1024;
export const PAGE_BYTES = 8192;
const COMMITS_PER_LOOK = 8;
/** How long the second step waits for readers. It keeps writes waiting, and a slow export may read for minutes. */
const RESTART_WAIT_MS = 20;

type CheckpointRow = { busy: number; log: number; checkpointed: number };

/**
 * Moves committed pages from the WAL into the file, on its own thread: on the writer's thread, every request would wait
 * for the disk. The first step runs beside writes; the second blocks them only for the pages added meanwhile, and
 * resets the WAL. The file keeps its size and is written from the start again: to cut it took the writer 12 ms.
 */
export class Checkpointer {
  readonly #file: string;
  readonly #maxBytes: number;
  #commits = 0;
  /** As it was when the WAL was reset last, and how many commits fill it again. */
  #reset = { size: 0, commits: 0, until: 0 };
  #running: Promise<void> | undefined;
  #thread: SqliteReader | undefined;

  constructor(file: string, maxBytes = MAX_WAL_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Returns the check that is under way, if there is one. Nothing has to wait for it. */
  committed(): Promise<void> | undefined {
    if (++this.#commits % COMMITS_PER_LOOK === 0)
      this.#running ??= this.#look().finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** After a large transaction: the next commit would have to move its pages on the writer's thread. */
  async largeCommitted(): Promise<void> {
    await this.#running;
    this.#reset = { ...this.#reset, until: 0 };
    await this.#look();
  }

  /**
   * Pages that cannot be moved now, because the disk is full or readers need them, stay in the WAL and are just as
   * safe.
   */
  async #look(): Promise<void> {
    try {
      const { size } = await stat(`${this.#file}-wal`);
      const isFilledAgain = size > this.#reset.size || this.#commits >= this.#reset.until;
      if (size < this.#maxBytes || !isFilledAgain) return;
      const commits = this.#commits;
      const { log, checkpointed } = await this.#checkpoint('PASSIVE');
      // A reader needs the rest: the second step would only keep writes waiting for it.
      if (checkpointed < log) return;
      const { busy } = await this.#checkpoint('RESTART');
      if (busy !== 0) return;
      // The size of the file no longer shows how full it is; the commits that filled it do.
      const filling = (this.#maxBytes / (Math.max(log, 1) * PAGE_BYTES)) * (commits - this.#reset.commits);
      this.#reset = { size, commits, until: commits + Math.max(COMMITS_PER_LOOK, Math.floor(filling)) };
    } catch {}
  }

  async #checkpoint(mode: 'PASSIVE' | 'RESTART'): Promise<CheckpointRow> {
    const settings = `PRAGMA busy_timeout = ${RESTART_WAIT_MS}`;
    this.#thread ??= new SqliteReader(this.#file, { readOnly: false, settings });
    const [row] = await this.#thread.all<CheckpointRow>({ text: `PRAGMA wal_checkpoint(${mode})`, values: [] });
    return row ?? { busy: 1, log: 0, checkpointed: 0 };
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#thread?.close();
  }
}

/** So much is copied in some ten milliseconds. */
const SMALL_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Moves the WAL into the file at the end of a process, so that a copy of the file has everything: a driver may keep its
 * connections open beyond their end, and then none of them is the last, which would do it. Not where others use it.
 */
export function emptyLog(writer: { exec(text: string): void }, file: string): void {
  const { size } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0 || size > SMALL_LOG_BYTES) return;
  try {
    writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    // On a full disk everything stays in the WAL, and is just as safe.
  } catch {}
}
