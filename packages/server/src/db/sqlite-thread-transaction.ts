import type { ByteLimit, FirstRows, Transaction } from './database.ts';
import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';
import { planInsertOnce, planUpdateOnce } from './sqlite-plans.ts';
import type { SqliteReader } from './sqlite-reader.ts';

const plain = (text: string): Sql => ({ text, values: [] });
/** Rows that the connection has changed since it was opened. */
const CHANGES = plain('SELECT total_changes() AS n');
const countOf = (rows: unknown): number => (rows as { n: number }[])[0]?.n ?? 0;

/**
 * A transaction on a thread of its own: it may change a whole account, and its commit write hundreds of megabytes, without
 * keeping the event loop. The commit is that of another connection, and drops all rows that are known.
 */
export class SqliteThreadTransaction implements Transaction {
  readonly #thread: SqliteReader;
  #changesBefore = 0;

  constructor(thread: SqliteReader) {
    this.#thread = thread;
  }

  async begin(): Promise<void> {
    const [, changes] = await this.#thread.ask([plain('BEGIN IMMEDIATE'), CHANGES], 'begin');
    this.#changesBefore = countOf(changes);
  }

  /** Returns whether it changed any rows. */
  async commit(): Promise<boolean> {
    const [changes] = await this.#thread.ask([CHANGES, plain('COMMIT')], 'step');
    return countOf(changes) !== this.#changesBefore;
  }

  /** A missing transaction is fine: SQLite may have ended it. */
  async rollback(): Promise<void> {
    await this.#thread.ask([plain('ROLLBACK')], 'begin').catch(() => {});
  }

  enter(): void {}

  enterAll(): void {}

  async all<T = Row>(statement: Sql): Promise<T[]> {
    return (await this.#thread.ask([statement], 'step'))[0] as T[];
  }

  async first<T = Row>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>> {
    return (await this.#thread.ask([{ ...statement, limit }], 'step'))[0] as FirstRows<T>;
  }

  async get<T = Row>(statement: Sql): Promise<T | undefined> {
    return (await this.all<T>(statement))[0];
  }

  async run(statement: Sql): Promise<number> {
    return (await this.#thread.ask([{ ...statement, isCounted: true }], 'step'))[0] as number;
  }

  findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    return this.#thread.findMany<T>(find, keys, 'step');
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    const { readRow, calls } = planInsertOnce(insert);
    const statements: Sql[] = [];
    let at = 0;
    for (const { size, text } of calls)
      for (; rows.length - at >= size; at += size) {
        const values: SqlValue[] = [];
        for (let i = at; i < at + size; i++) readRow(rows[i] as Row, values);
        statements.push({ text, values });
      }
    return (await this.#thread.ask(statements, 'step')).flat() as T[];
  }

  async updateMany(update: Update, rows: readonly Row[]): Promise<void> {
    const { text, readRow } = planUpdateOnce(update);
    const statements = rows.map((row) => {
      const values: SqlValue[] = [];
      readRow(row, values);
      return { text, values };
    });
    await this.#thread.ask(statements, 'step');
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    await this.#thread.ask([plain('SAVEPOINT one')], 'step');
    try {
      const result = await work();
      await this.#thread.ask([plain('RELEASE one')], 'step');
      return result;
    } catch (error) {
      // Where it cannot go back, the thread refuses what follows.
      await this.#thread.ask([plain('ROLLBACK TO one'), plain('RELEASE one')], 'begin').catch(() => {});
      throw error;
    }
  }
}
