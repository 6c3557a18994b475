import type { AccountRow } from './queries.ts';
import type { Work } from './work.ts';

export type AccountStorage = Pick<AccountRow, 'account_id' | 'storage_bytes' | 'storage_entries'>;
export type StoredTogether = Omit<AccountStorage, 'account_id'>;

const NOTHING: StoredTogether = { storage_bytes: 0, storage_entries: 0 };

/** What was read of an owner: its plan, and what it and its rooms store. */
export type OwnerRead = { plan: string | null; parts: readonly AccountStorage[] };

/**
 * What an account and the rooms that it owns store together, as far as this server knows. What it writes itself counts at once,
 * before its transaction ends; what others write, with the next read of the store.
 */
export class OwnerStorage {
  readonly account_id: string;
  /** Undefined until it was read, and since its plan was changed here. */
  readAt: number | undefined;
  reading: Promise<void> | undefined;
  plan: string | null = null;
  /** With what each stores, when that was learned. */
  readonly #parts = new Map<string, StoredTogether & { learned: number }>();
  readonly #running = new Map<string, Work>();
  #sum = NOTHING;
  /** Counts what happens, so that it is known what was learned after a read began. */
  #order = 0;
  #takenOrder = 0;
  #outdatedBefore = 0;

  constructor(accountId: string) {
    this.account_id = accountId;
  }

  /** Called before the store is read; returns what `take` is given with the result. */
  beginRead(): number {
    return ++this.#order;
  }

  take({ plan, parts }: OwnerRead, begun: number, now: number): void {
    // A read that began later ended before it.
    if (begun < this.#takenOrder) return;
    this.#takenOrder = begun;
    this.plan = plan;
    if (begun > this.#outdatedBefore) this.readAt = now;
    const own = [...this.#parts].filter(([, { learned }]) => learned > begun);
    this.#parts.clear();
    for (const { account_id, ...stored } of parts) this.#parts.set(account_id, { ...stored, learned: begun });
    for (const [account_id, part] of own) this.#parts.set(account_id, part);
    this.#sum = [...this.#parts.values()].reduce(plus, NOTHING);
  }

  /** What was read no longer holds, nor does what is being read. */
  outdate(): void {
    this.#outdatedBefore = ++this.#order;
    this.readAt = undefined;
    this.reading = undefined;
  }

  /** A transaction has locked a room: from here on its counters say what is stored in it. */
  enter(work: Work): void {
    work.owner = this;
    this.#running.set(work.account_id, work);
  }

  committed({ account_id, account: { storage_bytes, storage_entries } }: Work): void {
    const before = this.#parts.get(account_id) ?? NOTHING;
    const part = { storage_bytes, storage_entries };
    this.#sum = plus(this.#sum, minus(part, before));
    this.#parts.set(account_id, { ...part, learned: ++this.#order });
  }

  /** Called after `committed`, or without it where nothing was. */
  ended(work: Work): void {
    if (this.#running.get(work.account_id) === work) this.#running.delete(work.account_id);
  }

  get stored(): StoredTogether {
    let sum = this.#sum;
    for (const { account_id, account } of this.#running.values())
      sum = plus(sum, minus(account, this.#parts.get(account_id) ?? NOTHING));
    return sum;
  }
}

const plus = (a: StoredTogether, b: StoredTogether): StoredTogether => ({
  storage_bytes: a.storage_bytes + b.storage_bytes,
  storage_entries: a.storage_entries + b.storage_entries,
});

const minus = (a: StoredTogether, b: StoredTogether): StoredTogether => ({
  storage_bytes: a.storage_bytes - b.storage_bytes,
  storage_entries: a.storage_entries - b.storage_entries,
});
