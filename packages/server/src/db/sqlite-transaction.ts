import { pause, turnEnd, untilTurnEnds } from '../turns.ts';
import { type ByteLimit, type FirstRows, StorageError, type Transaction } from './database.ts';
import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';
import type { SqliteKnownRows, WrittenRows } from './sqlite-known-rows.ts';
import { planInsertOnce, planUpdateOnce } from './sqlite-plans.ts';

const UPDATES_PER_STEP = 32;
const KEYS_PER_STEP = 256;

export class SqliteTransaction implements Transaction {
  readonly #connection: SqliteConnection;
  readonly #file: string;
  readonly #known: SqliteKnownRows;
  #written: WrittenRows[] = [];
  /** The reason why the transaction takes no more statements. */
  #end: unknown;
  /**
   * The error of a statement that was not rolled back to a savepoint: as on PostgreSQL, the transaction cannot be
   * committed.
   */
  #failure: unknown;
  /** The end of the statements that wait for the next turn of the event loop, or work in turns. Later ones follow. */
  #underway: Promise<unknown> | undefined;
  /** It has worked in turns: from then on they are as short as those of other work. */
  #isLong = false;

  constructor(connection: SqliteConnection, { file, known }: { file: string; known: SqliteKnownRows }) {
    this.#connection = connection;
    this.#file = file;
    this.#known = known;
  }

  /**
   * A full disk and other storage failures make SQLite end the transaction by itself. Later statements would be
   * committed one by one, so none may follow.
   */
  #run<T>(statement: () => T): T {
    if (this.#end) throw this.#end;
    try {
      return statement();
    } catch (error) {
      const failure = translate(error, this.#file);
      this.#failure ??= failure;
      // A damaged page fails the statements that meet it, and no others.
      if (failure instanceof StorageError && failure.reason !== 'damaged') this.#end = failure;
      throw failure;
    }
  }

  /**
   * Runs a statement after all that were called before it. Between statements other requests get their turn, once this one
   * has taken long.
   */
  async #inOrder<T>(statement: () => T | Promise<T>): Promise<T> {
    const before = this.#underway ?? this.#turnEnd();
    const result = before === undefined ? statement() : before.then(statement);
    if (result instanceof Promise) this.#follow(result);
    return result;
  }

  #turnEnd(): Promise<void> | undefined {
    if (this.#isLong) return pause();
    const end = turnEnd();
    this.#isLong = end !== undefined;
    return end;
  }

  #runInOrder<T>(statement: () => T): Promise<T> {
    return this.#inOrder(() => this.#run(statement));
  }

  #follow(statement: Promise<unknown>): void {
    const end = () => {
      if (this.#underway === underway) this.#underway = undefined;
    };
    const underway: Promise<unknown> = statement.then(end, end);
    this.#underway = underway;
  }

  /** Runs a statement for many rows; the error of a step is that of the statement. */
  #inSteps<T>(steps: Iterator<void, T>): T | Promise<T> {
    return untilTurnEnds({ next: () => this.#run(() => steps.next()) }, () => this.#turnEnd());
  }

  enter(): void {}

  enterAll(): void {}

  #note(table: string, rows: readonly Row[], { named, adds }: { named: object; adds: readonly string[] | undefined }) {
    const how = this.#known.namedBy(table, named);
    if (how !== undefined) this.#written.push({ table, rows: how === 'row' ? rows : 'any', add: adds });
  }

  /** A statement that names no rows may write any. */
  #noteStatement({ text }: Sql): void {
    for (const table of this.#known.tablesIn(text)) this.#written.push({ table, rows: 'any' });
  }

  all<T = Row>(statement: Sql): Promise<T[]> {
    return this.#runInOrder(() => {
      this.#noteStatement(statement);
      return this.#connection.all<T>(statement);
    });
  }

  first<T = Row>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>> {
    return this.#runInOrder(() => this.#connection.first<T>(statement, limit));
  }

  get<T = Row>(statement: Sql): Promise<T | undefined> {
    return this.#runInOrder(() => {
      this.#noteStatement(statement);
      return this.#connection.get<T>(statement);
    });
  }

  run(statement: Sql): Promise<number> {
    return this.#runInOrder(() => {
      this.#noteStatement(statement);
      return this.#connection.statement(statement.text).run(statement.values);
    });
  }

  insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    return this.#inOrder(() => this.#inSteps(this.#insertInSteps<T>(insert, rows)));
  }

  *#insertInSteps<T>(insert: Insert, rows: readonly Row[]): Generator<void, T[]> {
    const { readRow, returning, calls } = planInsertOnce(insert);
    this.#note(insert.table, rows, { named: insert.columns, adds: insert.adds });
    const returned: T[] = [];
    let at = 0;
    for (const { size, text } of calls) {
      if (rows.length - at < size) continue;
      const statement = this.#connection.statement(text);
      for (; rows.length - at >= size; at += size) {
        if (at > 0) yield;
        const values: SqlValue[] = [];
        for (let i = at; i < at + size; i++) readRow(rows[i] as Row, values);
        if (returning) returned.push(...statement.all<T>(values));
        else statement.run(values);
      }
    }
    return returned;
  }

  updateMany(update: Update, rows: readonly Row[]): Promise<void> {
    return this.#inOrder(() => this.#inSteps(this.#updateInSteps(update, rows)));
  }

  *#updateInSteps(update: Update, rows: readonly Row[]): Generator<void, void> {
    const { text, readRow } = planUpdateOnce(update);
    this.#note(update.table, rows, { named: update.by, adds: update.set ? undefined : Object.keys(update.add ?? {}) });
    const statement = this.#connection.statement(text);
    for (const [i, row] of rows.entries()) {
      if (i > 0 && i % UPDATES_PER_STEP === 0) yield;
      const values: SqlValue[] = [];
      readRow(row, values);
      statement.run(values);
    }
  }

  findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    return this.#inOrder(() => this.#inSteps(this.#findInSteps<T>(find, keys)));
  }

  *#findInSteps<T>(find: Find, keys: readonly (readonly SqlValue[])[]): Generator<void, (T | undefined)[]> {
    if (keys.length <= KEYS_PER_STEP) return this.#connection.findMany<T>(find, keys);
    const found: (T | undefined)[] = [];
    for (let at = 0; at < keys.length; at += KEYS_PER_STEP) {
      if (at > 0) yield;
      for (const row of this.#connection.findMany<T>(find, keys.slice(at, at + KEYS_PER_STEP))) found.push(row);
    }
    return found;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#failure;
    const written = this.#written.length;
    await this.#exec('SAVEPOINT one');
    try {
      const result = await work();
      await this.#exec('RELEASE one');
      return result;
    } catch (error) {
      await this.#inOrder(() => {
        if (!this.#end) this.#run(() => this.#connection.exec('ROLLBACK TO one; RELEASE one'));
      });
      this.#failure = before;
      this.#dropSums(written);
      throw error;
    }
  }

  /** What may not have been added is read again. */
  #dropSums(from: number): void {
    this.#written = this.#written.map((rows, i) => (i < from ? rows : { ...rows, add: undefined }));
  }

  #exec(text: string): Promise<void> {
    return this.#runInOrder(() => this.#connection.exec(text));
  }

  /** To be awaited before the commit: a transaction that took long has others go first. */
  beforeCommit(): Promise<void> | undefined {
    return this.#isLong ? pause() : undefined;
  }

  commit(): void {
    if (this.#failure) throw this.#failure;
    try {
      this.#run(() => this.#connection.exec('COMMIT'));
    } catch (error) {
      this.#dropSums(0);
      throw error;
    } finally {
      // Also after an error, which may have come when the changes were made already.
      this.#known.committed(this.#written);
    }
    this.#end = new Error('the transaction is over');
  }

  /** A missing transaction is fine: SQLite may have ended it. */
  rollback(): void {
    this.#end ??= new Error('the transaction is over');
    try {
      this.#connection.exec('ROLLBACK');
    } catch {}
  }
}
