import type pg from 'pg';
import { StorageError, type Transaction } from './database.ts';
import { ENTER, type Entered } from './postgres-entered.ts';
import { translate } from './postgres-errors.ts';
import { type Find, type Insert, once, type Row, type Sql, type SqlValue, type Update } from './sql.ts';

const prepared = new Map<string, { name: string; text: string }>();

/** Named, so that the server parses each statement once a connection. */
export function prepare(text: string): { name?: string; text: string } {
  let known = prepared.get(text);
  if (!known) {
    let n = 0;
    known = { name: `mem_${prepared.size}`, text: text.replace(/\?/g, () => `$${++n}`) };
    // Searches vary with their filters; beyond this the rest goes unnamed.
    if (prepared.size >= 1000) return { text: known.text };
    prepared.set(text, known);
  }
  return known;
}

type Statement = { text: string; values: readonly unknown[]; query_timeout?: number | undefined };

export async function execute(runner: pg.Pool | pg.ClientBase, statement: Statement): Promise<pg.QueryResult> {
  try {
    return await runner.query({ ...statement, ...prepare(statement.text), values: statement.values as unknown[] });
  } catch (error) {
    throw translate(error);
  }
}

const ARRAY_TYPES = { text: 'text[]', int: 'bigint[]', real: 'double precision[]', search_text: 'text[]' } as const;

function unnest(types: readonly (keyof typeof ARRAY_TYPES)[]): string {
  return `unnest(${types.map((type) => `CAST(? AS ${ARRAY_TYPES[type]})`).join(', ')})`;
}

function insertText({ table, columns, suffix = '' }: Insert): string {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  const picks = types.map((type, i) => (type === 'search_text' ? `CAST(r.c${i} AS tsvector)` : `r.c${i}`));
  const as = names.map((_, i) => `c${i}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${picks.join(', ')} FROM ${unnest(types)} AS r(${as}) ${suffix}`;
}

/** The same without the planner seeing how many there are: it would plan anew for every one. */
function unnestUnseen(types: readonly (keyof typeof ARRAY_TYPES)[]): string {
  return `unnest(${types.map((type) => `(SELECT CAST(? AS ${ARRAY_TYPES[type]}))`).join(', ')})`;
}

/**
 * Of the rows of an account, the first at or after a key. Asked for an equal key, the planner has to guess which of the
 * indexes that begin alike is the one, and where it knows nothing of a new table yet it walks through a whole account.
 * Only the primary key gives this order. The account stands by itself: a policy names it too, and a scan that has an
 * equal account and a comparison that begins with the account starts at the first row of the account.
 */
function firstText(from: string, names: readonly string[], place: (i: number) => string): string {
  const [account, ...rest] = names;
  const after =
    rest.length === 0 ? '' : ` AND (${rest.join(', ')}) >= (${rest.map((_, i) => place(i + 1)).join(', ')})`;
  return `${from} WHERE ${account} = ${place(0)}${after} ORDER BY ${names.join(', ')} LIMIT 1`;
}

/** The first row at or after each key, if it is the key's. */
function findText({ table, select, by }: Find): string {
  const names = Object.keys(by);
  const as = names.map((_, i) => `c${i}`).join(', ');
  const same = names.map((name, i) => `found.${name} = r.c${i}`).join(' AND ');
  const first = firstText(`SELECT * FROM ${table}`, names, (i) => `r.c${i}`);
  return `SELECT r.place, ${select} FROM ${unnestUnseen(Object.values(by))} WITH ORDINALITY AS r(${as}, place) JOIN LATERAL (${first}) AS found ON ${same}`;
}

/** Finds each row as `findText` does, for the same reason. */
function updateText({ table, set = {}, add = {}, by }: Update): string {
  const names = Object.keys(by);
  const changed = { ...set, ...add };
  const changedNames = Object.keys(changed);
  const place = (i: number) => `r.c${changedNames.length + i}`;
  const as = [...changedNames, ...names].map((_, i) => `c${i}`).join(', ');
  const sets = changedNames
    .map((name, i) => (name in add ? `${name} = ${table}.${name} + r.c${i}` : `${name} = r.c${i}`))
    .join(', ');
  const same = names.map((name, i) => `${table}.${name} = ${place(i)}`).join(' AND ');
  const first = firstText(`SELECT x.ctid FROM ${table} AS x`, names, place);
  const rows = unnestUnseen([...Object.values(changed), ...Object.values(by)]);
  return `UPDATE ${table} SET ${sets} FROM ${rows} AS r(${as}), LATERAL (${first}) AS found WHERE ${table}.ctid = found.ctid AND ${same}`;
}

const insertTextOnce = once(insertText);
const findTextOnce = once(findText);
const updateTextOnce = once(updateText);

/** The transaction may still be open, but not for us. */
export const isGone = (error: unknown) => error instanceof StorageError && error.reason !== 'full';

export type TransactionOptions = {
  timeoutMs?: number;
  /** Whether rows are guarded, so that it has to say which account it is about. */
  guarded?: boolean;
};

export class PostgresTransaction implements Transaction {
  readonly #client: pg.ClientBase;
  readonly #timeoutMs: number | undefined;
  readonly #guarded: boolean;
  /** After the first failure the server refuses everything else, so only the first says what is wrong. */
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

  /** Not waited for: what follows it fails with it. */
  set(entered: Entered): void {
    this.#execute(ENTER.text, entered).catch(() => {});
  }

  async #execute(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    // A forgotten statement must not slip into the next transaction of the connection.
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
    const columns = Object.keys(find.by).map((_, i) => keys.map((key) => key[i] ?? null));
    const { rows } = await this.#execute(findTextOnce(find), columns);
    const found = new Array<T | undefined>(keys.length).fill(undefined);
    for (const row of rows) found[Number(row.place) - 1] = row;
    return found;
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
      if (isGone(error)) throw error;
      await Promise.all([this.#execute('ROLLBACK TO SAVEPOINT one'), this.#execute('RELEASE SAVEPOINT one')]);
      this.#failure = undefined;
      throw error;
    }
  }

  begin(): Promise<unknown> {
    // Each statement must see what was committed before it, whatever the database has as its default.
    return this.#execute('BEGIN ISOLATION LEVEL READ COMMITTED');
  }

  async commit(): Promise<void> {
    const { command } = await this.#execute('COMMIT');
    // What the server answers when a statement failed and nobody looked.
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the database rolled the transaction back');
    this.#over = true;
  }

  /** Whether the connection can be used again. */
  async rollback(): Promise<boolean> {
    const ended = this.#execute('ROLLBACK');
    this.#over = true;
    return ended.then(
      () => true,
      () => false,
    );
  }
}

type Ended<T> = { result: T; usable: true } | { error: unknown; usable: boolean };

/** From the beginning to the end. Says whether the connection can be used again. */
export async function runTransaction<T>(tx: PostgresTransaction, work: () => Promise<T>): Promise<Ended<T>> {
  try {
    // Not waited for: it travels with the first statements of the work.
    const begun = tx.begin();
    begun.catch(() => {});
    const result = await work();
    await begun;
    await tx.commit();
    return { result, usable: true };
  } catch (error) {
    return { error, usable: !isGone(error) && (await tx.rollback()) };
  }
}
