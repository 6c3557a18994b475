import type { ByteLimit, FirstRows, Transaction } from './database.ts';
import { type Find, type Insert, once, type Row, type Sql, type SqlValue, type Update } from './sql.ts';

type WaitingStatement = { resolve: (result: never) => void; reject: (error: unknown) => void };
type Keys = readonly (readonly SqlValue[])[];
type QueuedStatement = WaitingStatement &
  (
    | { kind: 'insert'; what: Insert; items: readonly Row[] }
    | { kind: 'update'; what: Update; items: readonly Row[] }
    | { kind: 'find'; what: Find; items: Keys }
    | { kind: 'other'; what: undefined; run: () => Promise<unknown> }
  );
type StatementsOf<K extends QueuedStatement['kind']> = (QueuedStatement & { kind: K })[];

/**
 * One transaction for several accounts. What they ask for at the same moment, with the same statement, goes to the database
 * as one statement with the rows of all. The statements of each account run in the order of its calls.
 */
export class MergedStatements {
  readonly #tx: Transaction;
  readonly #queues: QueuedStatement[][] = [];
  #isDue = false;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** The transaction as one of the accounts uses it. The accounts were entered before. */
  newPart(accountId: string): Transaction {
    const queue: QueuedStatement[] = [];
    this.#queues.push(queue);
    const ask = <T>(statement: DistributiveOmit<QueuedStatement, keyof WaitingStatement>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        queue.push({ ...statement, resolve, reject } as QueuedStatement);
        this.#schedule();
      });
    const askOnce = <T>(run: () => Promise<T>) => ask<T>({ kind: 'other', what: undefined, run });
    const tx = this.#tx;
    return {
      enter(entered) {
        if (entered !== accountId) throw new Error('a part of a transaction is of one account');
      },
      enterAll: () => {
        throw new Error('a part of a transaction is of one account');
      },
      savepoint: () => {
        throw new Error('a transaction of several accounts has no savepoints');
      },
      all: <T>(statement: Sql) => askOnce(() => tx.all<T>(statement)),
      get: <T>(statement: Sql) => askOnce(() => tx.get<T>(statement)),
      run: (statement) => askOnce(() => tx.run(statement)),
      first: <T>(statement: Sql, limit: ByteLimit) => askOnce<FirstRows<T>>(() => tx.first<T>(statement, limit)),
      insertMany: async <T>(what: Insert, items: readonly Row[]) =>
        items.length === 0 ? [] : ask<T[]>({ kind: 'insert', what, items }),
      updateMany: async (what, items) => {
        if (items.length > 0) await ask({ kind: 'update', what, items });
      },
      findMany: async <T>(what: Find, items: Keys) =>
        items.length === 0 ? [] : ask<(T | undefined)[]>({ kind: 'find', what, items }),
    };
  }

  /** Once every account waits for the database. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => process.nextTick(() => this.#sendAll()));
  }

  #sendAll(): void {
    this.#isDue = false;
    for (;;) {
      const next = this.#queues.find((queue) => queue.length > 0)?.[0];
      if (!next) return;
      const same = this.#queues.flatMap((queue) =>
        queue[0] && (queue[0] === next || (next.what !== undefined && queue[0].what === next.what))
          ? [queue.shift() as QueuedStatement]
          : [],
      );
      this.#send(next.kind, same).catch((error) => {
        for (const { reject } of same) reject(error);
      });
    }
  }

  async #send(kind: QueuedStatement['kind'], same: QueuedStatement[]): Promise<void> {
    if (kind === 'insert') return this.#insert(same as StatementsOf<'insert'>);
    if (kind === 'find') return this.#find(same as StatementsOf<'find'>);
    if (kind === 'update') return this.#update(same as StatementsOf<'update'>);
    const [{ run, resolve }] = same as [StatementsOf<'other'>[0]];
    resolve((await run()) as never);
  }

  async #insert(same: StatementsOf<'insert'>): Promise<void> {
    const [{ what, resolve, items }] = same as [StatementsOf<'insert'>[0]];
    if (same.length === 1) return resolve((await this.#tx.insertMany(what, items)) as never);
    const rows = same.flatMap((statement) => statement.items);
    const returned = await this.#tx.insertMany(returningAccounts(what), rows);
    const ofAccount = new Map<SqlValue | undefined, Row[]>(same.map(({ items }) => [items[0]?.account_id, []]));
    for (const row of returned) ofAccount.get(row.account_id)?.push(row);
    for (const { items, resolve } of same) resolve(ofAccount.get(items[0]?.account_id) as never);
  }

  async #find(same: StatementsOf<'find'>): Promise<void> {
    const [{ what }] = same as [StatementsOf<'find'>[0]];
    const found = await this.#tx.findMany(
      what,
      same.flatMap(({ items }) => items),
    );
    for (const { items, resolve } of same) resolve(found.splice(0, items.length) as never);
  }

  async #update(same: StatementsOf<'update'>): Promise<void> {
    const [{ what }] = same as [StatementsOf<'update'>[0]];
    const rows = same.flatMap(({ items }) => items);
    await this.#tx.updateMany(what, rows);
    for (const { resolve } of same) resolve(undefined as never);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The same insert, with the account of each row that it returns. */
const returningAccounts = once(
  (insert: Insert): Insert =>
    insert.suffix?.includes('RETURNING') ? { ...insert, suffix: `${insert.suffix}, account_id` } : insert,
);
