import { StorageError } from './database.ts';

/** Finds the number of migrations that a store has had. */
export const SCHEMA_NUMBER = 'SELECT max(version) AS schema FROM schema_migrations';

/**
 * Fails the writes of a process whose store has had other migrations since it was opened: its statements may fit the
 * tables as they are now, and write where nobody reads.
 */
export class SchemaGuard {
  readonly #expected: number;
  readonly #onOther: (error: StorageError) => void;
  #isReported = false;

  constructor(expected: number, onOther: (error: StorageError) => void) {
    this.#expected = expected;
    this.#onOther = onOther;
  }

  /** Within each write transaction, which no migration can overtake once it has read the number. */
  check(found: number | null | undefined): void {
    if (found === this.#expected) return;
    const why = `it has had ${found ?? 0} migrations, and ${this.#expected} when this process opened it`;
    const error = new StorageError('migrated', new Error(why));
    if (!this.#isReported) this.#onOther(error);
    this.#isReported = true;
    throw error;
  }
}
