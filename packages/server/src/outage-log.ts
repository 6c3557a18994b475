import type { Logger } from 'pino';
import { StorageError } from './db/index.ts';

const LOOK_EVERY_MS = 1000;
/** An error may have others as its cause, one behind the other. */
const MOST_CAUSES = 4;

type OutageParts = {
  log: Logger;
  /** Whether the database can be used as it was before. */
  isBack: () => Promise<boolean>;
};

/** Logs that the database is away, and that it is back, instead of each attempt that failed meanwhile. */
export class OutageLog {
  readonly #parts: OutageParts;
  #failures = 0;
  #began = 0;

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  /** Calls `write` unless the error is one more of an outage that was logged. */
  report(error: unknown, write: () => void): void {
    const isPart = isOutage(error);
    if (isPart && this.#failures++ > 0) return;
    write();
    if (!isPart) return;
    this.#began = performance.now();
    this.#lookLater();
  }

  #lookLater(): void {
    setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const { log, isBack } = this.#parts;
    if (!(await isBack().catch(() => false))) return this.#lookLater();
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    log.warn({ failures: this.#failures, seconds }, 'the database can be used again');
    this.#failures = 0;
  }
}

function isOutage(error: unknown): boolean {
  let cause = error;
  for (let i = 0; i < MOST_CAUSES; i++) {
    if (cause instanceof StorageError) return cause.reason === 'unavailable';
    cause = (cause as { cause?: unknown } | undefined)?.cause;
  }
  return false;
}
