import { untilTurnEnds } from '../turns.ts';
import { type ByteLimit, type FirstRows, StorageError, type Transaction } from './database.ts';
import { type Find, type Insert, once, type Row, type Sql, type SqlValue, type Update } from './sql.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';
import type { SqliteKnownRows, WrittenRows } from './sqlite-known-rows.ts';
import { compileRowReader, type RowReader } from './sqlite-rows.ts';

/**
 * Rows that go with one call: 32 small ones take 55 µs, and 155 one by one (bench/inside/tricks.mjs). Few sizes, so that
 * statements stay few.
 */
const ROWS_PER_CALL = [32, 16, 8, 4, 2, 1] as const;
const UPDATES_PER_STEP = 32;

type InsertPlan = { readRow: RowReader; returning: boolean; calls: readonly { size: number; text: string }[] };

function planInsert({ table, columns, suffix = '', singly = false }: Insert): InsertPlan {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join(', ')})`;
  const into = `INSERT INTO ${table} (${names.join(', ')}) VALUES`;
  const calls = (singly ? [1] : ROWS_PER_CALL).map((size) => ({
    size,
    text: `${into} ${new Array(size).fill(row).join(', ')} ${suffix}`,
  }));
  return { readRow: compileRowReader(names), returning: suffix.includes('RETURNING'), calls };
}

function planUpdate({ table, set = {}, add = {}, by }: Update): { text: string; readRow: RowReader } {
  const places = (columns: object) => Object.keys(columns).map((name) => `${name} = ?`);
  const sets = [...places(set), ...Object.keys(add).map((name) => `${name} = ${name} + ?`)];
  const text = `UPDATE ${table} SET ${sets.join(', ')} WHERE ${places(by).join(' AND ')}`;
  return { text, readRow: compileRowReader(Object.keys({ ...set, ...add, ...by })) };
}

const planInsertOnce = once(planInsert);
const planUpdateOnce = once(planUpdate);

export class SqliteTransaction implements Transaction {
  readonly #connection: SqliteConnection;
  readonly #file: string;
  readonly #known: SqliteKnownRows;
  readonly #written: WrittenRows[] = [];
  /** The reason why the transaction takes no more statements. */
  #end: unknown;
  /**
   * The error of a statement that was not rolled back to a savepoint: as on PostgreSQL, the transaction cannot be
   * committed.
   */
  #failure: unknown;
  /** Many rows that are written in turns with other requests. Later statements wait for them. */
  #underway: Promise<unknown> | undefined;

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

  async #inOrder(): Promise<void> {
    while (this.#underway !== undefined) await this.#underway;
  }

  /** Runs a statement for many rows; the error of a step is that of the statement. */
  #inSteps<T>(steps: Iterator<void, T>): T | Promise<T> {
    const result = untilTurnEnds({ next: () => this.#run(() => steps.next()) });
    if (!(result instanceof Promise)) return result;
    const end = () => {
      this.#underway = undefined;
    };
    this.#underway = result.then(end, end);
    return result;
  }

  enter(): void {}

  #note(table: string, rows: readonly Row[], { named, add }: { named: object; add?: object | undefined }): void {
    const how = this.#known.namedBy(table, named);
    if (how !== undefined)
      this.#written.push({ table, rows: how === 'row' ? rows : 'any', add: add && Object.keys(add) });
  }

  /** A statement that names no rows may write any. */
  #noteStatement({ text }: Sql): void {
    for (const table of this.#known.tablesIn(text)) this.#written.push({ table, rows: 'any' });
  }

  async all<T = Row>(statement: Sql): Promise<T[]> {
    if (this.#underway !== undefined) await this.#inOrder();
    this.#noteStatement(statement);
    return this.#run(() => this.#connection.all<T>(statement));
  }

  async first<T = Row>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>> {
    if (this.#underway !== undefined) await this.#inOrder();
    return this.#run(() => this.#connection.first<T>(statement, limit));
  }

  async get<T = Row>(statement: Sql): Promise<T | undefined> {
    if (this.#underway !== undefined) await this.#inOrder();
    this.#noteStatement(statement);
    return this.#run(() => this.#connection.get<T>(statement));
  }

  async run(statement: Sql): Promise<number> {
    if (this.#underway !== undefined) await this.#inOrder();
    this.#noteStatement(statement);
    return this.#run(() => this.#connection.statement(statement.text).run(statement.values));
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    if (this.#underway !== undefined) await this.#inOrder();
    return this.#inSteps(this.#insertInSteps<T>(insert, rows));
  }

  *#insertInSteps<T>(insert: Insert, rows: readonly Row[]): Generator<void, T[]> {
    const { readRow, returning, calls } = planInsertOnce(insert);
    this.#note(insert.table, rows, { named: insert.columns });
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

  async updateMany(update: Update, rows: readonly Row[]): Promise<void> {
    if (this.#underway !== undefined) await this.#inOrder();
    await this.#inSteps(this.#updateInSteps(update, rows));
  }

  *#updateInSteps(update: Update, rows: readonly Row[]): Generator<void, void> {
    const { text, readRow } = planUpdateOnce(update);
    this.#note(update.table, rows, { named: update.by, add: update.set ? undefined : update.add });
    const statement = this.#connection.statement(text);
    for (const [i, row] of rows.entries()) {
      if (i > 0 && i % UPDATES_PER_STEP === 0) yield;
      const values: SqlValue[] = [];
      readRow(row, values);
      statement.run(values);
    }
  }

  async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    if (this.#underway !== undefined) await this.#inOrder();
    return this.#run(() => this.#connection.findMany<T>(find, keys));
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underway !== undefined) await this.#inOrder();
    const before = this.#failure;
    this.#exec('SAVEPOINT one');
    try {
      const result = await work();
      if (this.#underway !== undefined) await this.#inOrder();
      this.#exec('RELEASE one');
      return result;
    } catch (error) {
      if (this.#underway !== undefined) await this.#inOrder();
      if (!this.#end) this.#exec('ROLLBACK TO one; RELEASE one');
      this.#failure = before;
      throw error;
    }
  }

  #exec(text: string): void {
    this.#run(() => this.#connection.exec(text));
  }

  commit(): void {
    if (this.#failure) throw this.#failure;
    try {
      this.#exec('COMMIT');
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
