import type { Database } from '../../db/index.ts';
import type { Clock, Services, Settings, Work } from '../../kernel/index.ts';
import type { CounterReading } from './ledger.ts';
import { limitOf } from './plans.ts';
import * as queries from './queries.ts';
import { type Period, periodOf } from './rules/period.ts';
import { UsageTally } from './tally.ts';

/** The accounts that this server serves, each with its tally of the current period. */
export class UsageTallies {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #database: Database;
  readonly #current = new Map<string, UsageTally>();
  readonly #reservedOps = new WeakMap<Work, number>();
  #period: Period;
  /** Called with a tally whose period is over. */
  onPeriodEnd: (tally: UsageTally) => void = () => {};

  constructor({ settings, clock, database }: Pick<Services, 'settings' | 'clock' | 'database'>) {
    this.#settings = settings;
    this.#clock = clock;
    this.#database = database;
    this.#period = periodOf(clock.now());
  }

  /** The tally of the current period; a new one where there is none. */
  tallyOf(accountId: string): UsageTally {
    const now = this.#clock.now();
    if (now >= this.#period.end || now < this.#period.start) this.#period = periodOf(now);
    const known = this.#current.get(accountId);
    if (known?.period === this.#period) return known;
    const tally = new UsageTally(accountId, this.#period);
    tally.spentAt = now;
    this.#current.set(accountId, tally);
    if (known) this.onPeriodEnd(known);
    return tally;
  }

  knownTallyOf(accountId: string): UsageTally | undefined {
    return this.#current.get(accountId);
  }

  listTallies(): UsageTally[] {
    return [...this.#current.values()];
  }

  dropTally({ account_id }: UsageTally): void {
    this.#current.delete(account_id);
  }

  /** Takes over a committed counter. */
  takeCounter({ account_id, period, counter }: CounterReading): void {
    const tally = this.#current.get(account_id);
    if (tally?.period.name === period) tally.see(counter);
  }

  /** Reads the account from the store. */
  loadUsage(tally: UsageTally): Promise<void> {
    tally.looking ??= this.#readUsage(tally).finally(() => {
      tally.looking = undefined;
    });
    return tally.looking;
  }

  async #readUsage(tally: UsageTally): Promise<void> {
    const place = { account_id: tally.account_id, period: tally.period.name };
    const found = await queries.getUsage(this.#database.forAccount(place.account_id).read, place);
    this.#setPlan(tally, found?.plan ?? null);
    // The row may already include a change of this server that is in progress and not yet in its tally.
    if (tally.leasing || tally.givingBack) tally.seenAt = performance.now();
    else tally.see({ no: found?.no ?? 0, ops_used: found?.ops_used ?? 0 });
  }

  /** Reads and locks the account until the end of the transaction; includes what this server has leased. */
  async lockUsage(work: Work): Promise<UsageTally> {
    await work.locked;
    const period = periodOf(work.now);
    const place = { account_id: work.account_id, period: period.name };
    const [counter, found] = await Promise.all([queries.holdUsage(work.tx, place), queries.getUsage(work.tx, place)]);
    const held = new UsageTally(work.account_id, period);
    this.#setPlan(held, found?.plan ?? null);
    held.see({ ...counter, ops_used: counter.ops_used + this.#opsPendingIn(work, period.name) });
    const own = this.#current.get(work.account_id);
    if (own?.period.name === period.name) held.left = own.left + own.returning;
    return held;
  }

  /** Reserves the ops that this transaction will charge for its writes. */
  reserveOps(work: Work, ops: number): void {
    this.#reservedOps.set(work, ops);
  }

  /** What the transaction has charged or reserved, and the counter does not show yet. */
  #opsPendingIn(work: Work, period: string): number {
    let writes = 0;
    let others = 0;
    for (const charge of work.charges) {
      if (charge.class === 'write') writes += charge.ops;
      else if (charge.period === undefined || charge.period === period) others += charge.ops;
    }
    return others + Math.max(writes, this.#reservedOps.get(work) ?? 0);
  }

  #setPlan(tally: UsageTally, plan: string | null): void {
    tally.setPlan(plan, limitOf(this.#settings, plan));
  }
}
