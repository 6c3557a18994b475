import { type ByteLimit, type FirstRows, StorageError, type Transaction } from './database.ts';
import { type Find, type Insert, once, type Row, type Sql, type SqlValue, type Update } from './sql.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';
import type { SqliteKnownRows, WrittenRows } from './sqlite-known-rows.ts';

/**
 * Rows that go with one call: 32 small ones take 55 µs, and 155 one by one (bench/inside/tricks.mjs). Few sizes, so that
 * statements stay few.
 */
const ROWS_PER_CALL = [32, 16, 8, 4, 2, 1] as const;

type InsertPlan = { names: readonly string[]; returning: boolean; calls: readonly { size: number; text: string }[] };

function planInsert({ table, columns, suffix = '', singly = false }: Insert): InsertPlan {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join(', ')})`;
  const into = `INSERT INTO ${table} (${names.join(', ')}) VALUES`;
  const calls = (singly ? [1] : ROWS_PER_CALL).map((size) => ({
    size,
    text: `${into} ${new Array(size).fill(row).join(', ')} ${suffix}`,
  }));
  return { names, returning: suffix.includes('RETURNING'), calls };
}

function updateText({ table, set = {}, add = {}, by }: Update): string {
  const places = (columns: object) => Object.keys(columns).map((name) => `${name} = ?`);
  const sets = [...places(set), ...Object.keys(add).map((name) => `${name} = ${name} + ?`)];
  return `UPDATE ${table} SET ${sets.join(', ')} WHERE ${places(by).join(' AND ')}`;
}

const planInsertOnce = once(planInsert);
const updateTextOnce = once(updateText);

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

  enter(): void {}

  #note(table: string, rows: readonly Row[], named: object): void {
    const how = this.#known.namedBy(table, named);
    if (how !== undefined) this.#written.push({ table, rows: how === 'row' ? rows : 'any' });
  }

  /** A statement that names no rows may write any. */
  #noteStatement({ text }: Sql): void {
    for (const table of this.#known.tablesIn(text)) this.#written.push({ table, rows: 'any' });
  }

  async all<T = Row>(statement: Sql): Promise<T[]> {
    this.#noteStatement(statement);
    return this.#run(() => this.#connection.all<T>(statement));
  }

  async first<T = Row>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>> {
    return this.#run(() => this.#connection.first<T>(statement, limit));
  }

  async get<T = Row>(statement: Sql): Promise<T | undefined> {
    this.#noteStatement(statement);
    return this.#run(() => this.#connection.get<T>(statement));
  }

  async run(statement: Sql): Promise<number> {
    this.#noteStatement(statement);
    return this.#run(() => this.#connection.statement(statement.text).run(statement.values));
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    const { names, returning, calls } = planInsertOnce(insert);
    this.#note(insert.table, rows, insert.columns);
    return this.#run(() => {
      const returned: T[] = [];
      let at = 0;
      for (const { size, text } of calls) {
        if (rows.length - at < size) continue;
        const statement = this.#connection.statement(text);
        for (; rows.length - at >= size; at += size) {
          const values: SqlValue[] = [];
          for (const row of rows.slice(at, at + size)) for (const name of names) values.push(row[name] ?? null);
          if (returning) returned.push(...statement.all<T>(values));
          else statement.run(values);
        }
      }
      return returned;
    });
  }

  async updateMany(update: Update, rows: readonly Row[]): Promise<void> {
    const names = Object.keys({ ...update.set, ...update.add, ...update.by });
    this.#note(update.table, rows, update.by);
    this.#run(() => {
      const statement = this.#connection.statement(updateTextOnce(update));
      for (const row of rows) statement.run(names.map((name) => row[name] ?? null));
    });
  }

  async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    return this.#run(() => this.#connection.findMany<T>(find, keys));
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#failure;
    this.#exec('SAVEPOINT one');
    try {
      const result = await work();
      this.#exec('RELEASE one');
      return result;
    } catch (error) {
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
