import type pg from 'pg';
import { type ByteLimit, type FirstRows, StorageError, type Transaction } from './database.ts';
import type { PostgresClient } from './postgres-client.ts';
import { translate } from './postgres-errors.ts';
import { toFirstRows, withRunningBytes } from './postgres-first.ts';
import { queryLed } from './postgres-led.ts';
import { insertTextOnce, manyKeys, updateTextOnce } from './postgres-many.ts';
import { prepare, withoutName } from './postgres-prepare.ts';
import { ACCOUNT_SEPARATOR, type EnteredBy, SET_ENTERED, type TransactionSettings } from './postgres-settings.ts';
import type { Find, Insert, Row, Sql, SqlValue, Update } from './sql.ts';

type PgStatement = { text: string; values: readonly unknown[]; query_timeout?: number | undefined };

/** On a client, or on a pool whose clients are all connected without a pooler. */
export async function execute(runner: pg.Pool | PostgresClient, statement: PgStatement): Promise<pg.QueryResult> {
  const isNamed = !('namesStatements' in runner) || runner.namesStatements;
  const named = isNamed ? prepare(statement.text) : withoutName(statement.text);
  try {
    return await runner.query({ ...statement, ...named, values: statement.values as unknown[] });
  } catch (error) {
    throw translate(error);
  }
}

/** True when the transaction may still be open on the server, but can no longer be used. */
export const isConnectionLost = (error: unknown) =>
  error instanceof StorageError && error.reason !== 'full' && error.reason !== 'damaged';

export type TransactionOptions = {
  timeoutMs?: number;
  /** What its statements run under. Undefined: what the session has. */
  settings?: TransactionSettings | undefined;
};

// Each statement must see everything committed before it, regardless of the default of the database.
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

export class PostgresTransaction implements Transaction {
  readonly #client: PostgresClient;
  readonly #timeoutMs: number | undefined;
  readonly #settings: TransactionSettings | undefined;
  #begun: Promise<unknown> | undefined;
  /** After the first failure the server refuses all further statements, so only the first error is meaningful. */
  #failure: unknown;
  #over = false;

  constructor(client: PostgresClient, { timeoutMs, settings }: TransactionOptions = {}) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#settings = settings;
  }

  enter(accountId: string): void {
    this.#enter('withAccount', accountId);
  }

  enterAll(accountIds: readonly string[]): void {
    this.#enter('withAccounts', accountIds.join(ACCOUNT_SEPARATOR));
  }

  #enter(by: EnteredBy, value: string): void {
    const text = this.#settings?.[by];
    if (text === undefined) return;
    if (!this.#begun) this.#begin({ text, values: [value] });
    // Not awaited: if it fails, the statements after it fail too.
    else this.#execute(SET_ENTERED[by], [value]).catch(() => {});
  }

  /** Not awaited: it is sent together with the first statements. */
  #begin(entered?: { text: string; values: string[] }): void {
    const { plain } = this.#settings ?? {};
    const sent = this.#sendBegin(entered ?? (plain === undefined ? undefined : { text: plain, values: [] }));
    const begun = sent.then(({ rows }) => this.#settings?.guard?.check(rows[0]?.schema));
    this.#begun = begun.catch((error) => {
      this.#failure ??= error;
      throw this.#failure;
    });
    this.#begun.catch(() => {});
  }

  /** Begins, and sets what the transaction runs under, in one message: no statement can run between. */
  async #sendBegin(settings: { text: string; values: string[] } | undefined): Promise<pg.QueryResult> {
    if (!settings) return execute(this.#client, { text: BEGIN, values: [], query_timeout: this.#timeoutMs });
    try {
      return await queryLed(this.#client, { text: BEGIN, values: [] }, settings);
    } catch (error) {
      throw translate(error);
    }
  }

  async #execute(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    // A statement that was not awaited must not run in the next transaction of the connection.
    if (this.#over) throw new Error('the transaction is over');
    if (!this.#begun) this.#begin();
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

  async commit(): Promise<void> {
    if (!this.#begun) return this.#end();
    await this.#begun;
    const { command } = await this.#execute('COMMIT');
    // The server's reply to COMMIT after a statement failed and its error was ignored.
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the database rolled the transaction back');
    this.#end();
  }

  #end(): void {
    this.#over = true;
  }

  /** Returns whether the connection can be reused. */
  async rollback(): Promise<boolean> {
    const ended = this.#begun === undefined ? Promise.resolve() : this.#execute('ROLLBACK');
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
    const result = await work();
    await tx.commit();
    return { result, usable: true };
  } catch (error) {
    return { error, usable: !isConnectionLost(error) && (await tx.rollback()) };
  }
}
