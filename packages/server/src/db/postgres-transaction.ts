import type pg from 'pg';
import { type ByteLimit, type FirstRows, StorageError, type Transaction } from './database.ts';
import { translate } from './postgres-errors.ts';
import { toFirstRows, withRunningBytes } from './postgres-first.ts';
import { insertTextOnce, manyKeys, updateTextOnce } from './postgres-many.ts';
import { ACCOUNT_SEPARATOR, SET_TENANT, type TenantSetting } from './postgres-tenant.ts';
import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';

const prepared = new Map<string, { name: string; text: string }>();

/** Named, so that the server parses each statement once per connection. */
export function prepare(text: string): { name?: string; text: string } {
  let known = prepared.get(text);
  if (!known) {
    let n = 0;
    known = { name: `mem_${prepared.size}`, text: text.replace(/\?/g, () => `$${++n}`) };
    // The text of searches varies with their filters; beyond this number, statements are unnamed.
    if (prepared.size >= 1000) return { text: known.text };
    prepared.set(text, known);
  }
  return known;
}

type PgStatement = { text: string; values: readonly unknown[]; query_timeout?: number | undefined };

export async function execute(runner: pg.Pool | pg.ClientBase, statement: PgStatement): Promise<pg.QueryResult> {
  try {
    return await runner.query({ ...statement, ...prepare(statement.text), values: statement.values as unknown[] });
  } catch (error) {
    throw translate(error);
  }
}

/** True when the transaction may still be open on the server, but can no longer be used. */
export const isConnectionLost = (error: unknown) =>
  error instanceof StorageError && error.reason !== 'full' && error.reason !== 'damaged';

export type TransactionOptions = {
  timeoutMs?: number;
  /** Row-level security is on, so the transaction must set its account. */
  guarded?: boolean;
};

export class PostgresTransaction implements Transaction {
  readonly #client: pg.ClientBase;
  readonly #timeoutMs: number | undefined;
  readonly #guarded: boolean;
  /** After the first failure the server refuses all further statements, so only the first error is meaningful. */
  #failure: unknown;
  #over = false;

  constructor(client: pg.ClientBase, { timeoutMs, guarded = false }: TransactionOptions = {}) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#guarded = guarded;
  }

  enter(accountId: string): void {
    if (this.#guarded) this.set(['mem.account_id', accountId]);
  }

  enterAll(accountIds: readonly string[]): void {
    if (this.#guarded) this.set(['mem.account_ids', accountIds.join(ACCOUNT_SEPARATOR)]);
  }

  /** Not awaited: if it fails, the statements after it fail too. */
  set(entered: TenantSetting): void {
    this.#execute(SET_TENANT.text, entered).catch(() => {});
  }

  async #execute(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    // A statement that was not awaited must not run in the next transaction of the connection.
    if (this.#over) throw new Error('the transaction is over');
    try {
      return await execute(this.#client, { text, values, query_timeout: this.#timeoutMs });
    } catch (error) {
      this.#failure ??= error;
      throw this.#failure;
    }
  }

  async all<T = Row>({ text, values }: Sql): Promise<T[]> {
    return (await this.#execute(text, values)).rows;
  }

  async first<T = Row>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>> {
    const { text, values } = withRunningBytes(statement, limit);
    return toFirstRows<T>((await this.#execute(text, values)).rows, limit);
  }

  async get<T = Row>({ text, values }: Sql): Promise<T | undefined> {
    return (await this.#execute(text, values)).rows[0];
  }

  async run({ text, values }: Sql): Promise<number> {
    return (await this.#execute(text, values)).rowCount ?? 0;
  }

  async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
    if (rows.length === 0) return [];
    const columns = Object.keys(insert.columns).map((name) => rows.map((row) => row[name] ?? null));
    return (await this.#execute(insertTextOnce(insert), columns)).rows;
  }

  async updateMany(update: Update, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const names = Object.keys({ ...update.set, ...update.add, ...update.by });
    await this.#execute(
      updateTextOnce(update),
      names.map((name) => rows.map((row) => row[name] ?? null)),
    );
  }

  async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
    if (keys.length === 0) return [];
    const { text, values, inOrder } = manyKeys<T>(find, keys);
    return inOrder((await this.#execute(text, values)).rows);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const opened = this.#execute('SAVEPOINT one');
    opened.catch(() => {});
    try {
      const result = await work();
      await opened;
      await this.#execute('RELEASE SAVEPOINT one');
      return result;
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      await Promise.all([this.#execute('ROLLBACK TO SAVEPOINT one'), this.#execute('RELEASE SAVEPOINT one')]);
      this.#failure = undefined;
      throw error;
    }
  }

  begin(): Promise<unknown> {
    // Each statement must see everything committed before it, regardless of the default of the database.
    return this.#execute('BEGIN ISOLATION LEVEL READ COMMITTED');
  }

  async commit(): Promise<void> {
    const { command } = await this.#execute('COMMIT');
    // The server's reply to COMMIT after a statement failed and its error was ignored.
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the database rolled the transaction back');
    this.#over = true;
  }

  /** Returns whether the connection can be reused. */
  async rollback(): Promise<boolean> {
    const ended = this.#execute('ROLLBACK');
    this.#over = true;
    return ended.then(
      () => true,
      () => false,
    );
  }
}

type TransactionEnd<T> = { result: T; usable: true } | { error: unknown; usable: boolean };

/** Runs a transaction from begin to commit. Returns whether the connection can be reused. */
export async function runTransaction<T>(tx: PostgresTransaction, work: () => Promise<T>): Promise<TransactionEnd<T>> {
  try {
    // Not awaited: it is sent together with the first statements of the work.
    const begun = tx.begin();
    begun.catch(() => {});
    const result = await work();
    await begun;
    await tx.commit();
    return { result, usable: true };
  } catch (error) {
    return { error, usable: !isConnectionLost(error) && (await tx.rollback()) };
  }
}
