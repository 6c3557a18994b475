import { type OwnMigrations, StorageError } from './database.ts';

/** Finds the newest migration of a process's modules in the store; those of other processes do not count. */
export const newestMigration = ({ modules }: OwnMigrations, table = 'schema_migrations'): string =>
  `SELECT max(version) AS schema FROM ${table} WHERE module IN (${modules.map((name) => `'${name}'`).join(', ')})`;

/**
 * Fails the writes of a process whose store has had other migrations since it was opened: its statements may fit the
 * tables as they are now, and write where nobody reads.
 */
export class SchemaGuard {
  /** Finds what is checked. */
  readonly text: string;
  readonly #expected: OwnMigrations;
  readonly #onOther: (error: StorageError) => void;
  #isReported = false;

  constructor(expected: OwnMigrations, onOther: (error: StorageError) => void) {
    this.text = newestMigration(expected);
    this.#expected = expected;
    this.#onOther = onOther;
  }

  get expected(): OwnMigrations {
    return this.#expected;
  }

  /** Within each write transaction, which no migration can overtake once it has read the number. */
  check(found: number | null | undefined): void {
    const { newest } = this.#expected;
    if (found === newest) return;
    const why = `it has had migration ${found ?? 0}, and ${newest} was the newest when this process opened it`;
    const error = new StorageError('migrated', new Error(why));
    if (!this.#isReported) this.#onOther(error);
    this.#isReported = true;
    throw error;
  }
}
