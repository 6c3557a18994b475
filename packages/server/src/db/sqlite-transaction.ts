import type { Transaction } from './database.ts';
import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';
import type { Connection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';

function insertText({ table, columns, suffix = '' }: Insert): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${suffix}`;
}

function findText({ table, select, by }: Find): string {
  const keys = Object.keys(by).map((name) => `${name} = ?`);
  return `SELECT ${select} FROM ${table} WHERE ${keys.join(' AND ')}`;
}

function updateText({ table, set, by }: Update): string {
  const places = (columns: object) => Object.keys(columns).map((name) => `${name} = ?`);
  return `UPDATE ${table} SET ${places(set).join(', ')} WHERE ${places(by).join(' AND ')}`;
}

/** The text of a constant statement is made once. */
function once<K extends object>(make: (key: K) => string): (key: K) => string {
  const texts = new WeakMap<K, string>();
  return (key) => {
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make(key);
    texts.set(key, text);
    return text;
  };
}
const insertTextOnce = once(insertText);
const findTextOnce = once(findText);
const updateTextOnce = once(updateText);

export class SqliteTransaction implements Transaction {
  readonly #connection: Connection;
  /** Why no more statements are taken. */
  #end: unknown;
  /** A statement that failed and was not undone: as on PostgreSQL, nothing is committed around it. */
  #failure: unknown;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * A full disk and other failures of the storage make SQLite end the transaction by itself. Whatever came after would be
   * committed alone, at once, so nothing may come after.
   */
  #run<T>(statement: () => T): T {
    if (this.#end) throw this.#end;
    try {
      return statement();
    } catch (error) {
      const failure = translate(error);
      this.#failure ??= failure;
      if (failure !== error) this.#end = failure;
      throw failure;
    }
  }

  async all<T = Row>(statement: Sql): Promise<T[]> {
    return this.#run(() => this.#connection.all<T>(statement));
  }

  async get<T = Row>(statement: Sql): Promise<T | undefined> {
    return this.#run(() => this.#connection.get<T>(statement));
  }

  async run({ text, values }: Sql): Promise<number> {
    return this.#run(() => Number(this.#connection.statement(text).run(...values).changes));
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    const names = Object.keys(insert.columns);
    const bind = (row: Row) => names.map((name) => row[name] ?? null);
    return this.#run(() => {
      const statement = this.#connection.statement(insertTextOnce(insert));
      if (insert.suffix?.includes('RETURNING'))
        return rows.flatMap((row) => (statement.get(...bind(row)) as T | undefined) ?? []);
      for (const row of rows) statement.run(...bind(row));
      return [];
    });
  }

  async updateMany(update: Update, rows: readonly Row[]): Promise<void> {
    const names = [...Object.keys(update.set), ...Object.keys(update.by)];
    this.#run(() => {
      const statement = this.#connection.statement(updateTextOnce(update));
      for (const row of rows) statement.run(...names.map((name) => row[name] ?? null));
    });
  }

  async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    return this.#run(() => {
      const statement = this.#connection.statement(findTextOnce(find));
      return keys.map((key) => (statement.get(...key) ?? undefined) as T | undefined);
    });
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
    this.#exec('COMMIT');
    this.#end = new Error('the transaction is over');
  }

  /** Not to be found is fine: SQLite may have ended it. */
  rollback(): void {
    this.#end ??= new Error('the transaction is over');
    try {
      this.#connection.exec('ROLLBACK');
    } catch {}
  }
}
