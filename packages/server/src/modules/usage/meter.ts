import {
  type Charge,
  type Clock,
  type HeaderSink,
  type Meter,
  type MeteredCall,
  type OnAccount,
  type OperationCost,
  type PlanUsage,
  type Services,
  type Settings,
  type Work,
  writeCharge,
} from '../../kernel/index.ts';
import { Leases } from './leases.ts';
import { writeLedger } from './ledger.ts';
import { type AskedOps, Lender, type LentOps, type ReturnedOps } from './lender.ts';
import { refusalOf } from './refusals.ts';
import { UsageTallies } from './tallies.ts';
import { SEEN_MS, type UsageTally } from './tally.ts';

const IDLE_MS = 60_000;

/**
 * Counts ops. Writes are charged with their effect. Reads are paid out of a lease, a small block of ops charged beforehand;
 * the next is fetched in the background before the last is used up.
 */
export class UsageMeter implements Meter {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #isBlocking: boolean;
  readonly #tallies: UsageTallies;
  #leases: Leases;
  /** Tallies of past periods, until their leases are returned. */
  readonly #ended = new Set<UsageTally>();
  readonly #lender: Lender | undefined;
  #onError: (error: unknown) => void = () => {};

  constructor(parts: Pick<Services, 'database' | 'clock' | 'settings' | 'replica'>) {
    this.#lender = parts.replica && new Lender(parts.replica);
    this.#settings = parts.settings;
    this.#clock = parts.clock;
    this.#isBlocking = parts.settings.quota_enforcement === 'block';
    this.#tallies = new UsageTallies(parts);
    this.#tallies.onPeriodEnd = (tally) => {
      this.#ended.add(tally);
      inBackground(this.#giveBackEnded(tally));
    };
    this.#leases = this.#leasesOn(() => Promise.reject(new Error('the meter was not started')));
  }

  start(onAccount: OnAccount, onError: (error: unknown) => void): void {
    this.#leases = this.#leasesOn(onAccount);
    this.#onError = onError;
  }

  #leasesOn(onAccount: OnAccount): Leases {
    return new Leases({
      ...{ tallies: this.#tallies, onAccount, isBounded: this.#isBlocking },
      lender: this.#lender,
    });
  }

  ready(accountId: string): Promise<void> | undefined {
    const tally = this.#tallies.tallyOf(accountId);
    const age = performance.now() - tally.seenAt;
    if (age < SEEN_MS) return undefined;
    const looking = this.#tallies.loadUsage(tally);
    return age === Number.POSITIVE_INFINITY ? looking : inBackground(looking);
  }

  pay(accountId: string, { cost, effect }: OperationCost): Promise<void> | undefined {
    if (cost === 0 || effect === 'control') return undefined;
    if (effect === 'write') return this.#isBlocking ? this.makeRoom(accountId, cost) : undefined;
    const tally = this.#tallies.tallyOf(accountId);
    if (this.#isBlocking ? tally.left < cost : tally.size === 0) return this.#payLater(tally, cost);
    this.#spend(tally, cost);
    return undefined;
  }

  #spend(tally: UsageTally, ops: number): void {
    tally.spend(ops, this.#clock.now());
    if (tally.left <= tally.size >> 1 && !(this.#isBlocking && tally.isOver)) inBackground(this.#leases.take(tally));
  }

  refund(accountId: string, ops: number): void {
    this.#tallies.tallyOf(accountId).left += ops;
  }

  /**
   * The first read of an account waits for a lease; where the quota is enforced, so does a read that finds nothing left.
   */
  async #payLater(tally: UsageTally, ops: number): Promise<void> {
    if (tally.seenAt === Number.NEGATIVE_INFINITY) await this.#tallies.loadUsage(tally);
    if (!this.#isBlocking && tally.size === 0) await this.#leases.take(tally);
    while (this.#isBlocking && tally.left < ops) {
      if (tally.isOver) throw refusalOf(this.#settings, tally);
      await this.#leases.take(tally);
    }
    this.#spend(tally, ops);
  }

  lend(asked: AskedOps): Promise<LentOps> {
    return this.#leases.lend(asked);
  }

  charge(returned: ReturnedOps): Promise<void> {
    return this.#leases.charge(returned);
  }

  async refuseOverPlan<J extends MeteredCall>(
    work: Work,
    jobs: readonly J[],
    refuse: (job: J, result: { error: unknown }) => void,
  ): Promise<readonly J[]> {
    if (!this.#isBlocking || !jobs.some((job) => writeCharge(job) > 0)) return jobs;
    const charged = work.charges.reduce((sum, charge) => sum + (charge.class === 'write' ? charge.ops : 0), 0);
    this.#tallies.reserveOps(work, charged);
    const held = await this.#tallies.lockUsage(work);
    const before = held.used;
    const admitted = jobs.filter((job) => {
      const ops = writeCharge(job);
      const isFree = ops === 0 || (held.hasPlan && (held.limit === null || held.used + ops <= held.limit));
      if (isFree) held.used += ops;
      else refuse(job, { error: refusalOf(this.#settings, held) });
      return isFree;
    });
    this.#tallies.reserveOps(work, charged + held.used - before);
    return admitted;
  }

  write(work: Work, charges: readonly Charge[]): void {
    writeLedger(work, charges, (seen) => this.#tallies.takeCounter(seen));
  }

  async makeRoom(accountId: string, ops: number): Promise<void> {
    await this.ready(accountId);
    const tally = this.#tallies.tallyOf(accountId);
    if (tally.limit !== null && tally.used + ops > tally.limit) await this.#leases.giveBack(tally);
  }

  async record(work: Work, ops: number): Promise<PlanUsage> {
    const held = await this.#tallies.lockUsage(work);
    const counted = this.#isBlocking ? held.used : held.spent;
    if (!held.hasPlan || (held.limit !== null && counted + ops > held.limit)) throw refusalOf(this.#settings, held);
    work.charge({ class: 'record', ops, requests: 1 });
    held.used += ops;
    return held.planUsage();
  }

  async planUsage(accountId: string): Promise<PlanUsage> {
    const tally = this.#tallies.tallyOf(accountId);
    await this.#tallies.loadUsage(tally);
    return tally.planUsage();
  }

  writeHeaders(accountId: string, to: HeaderSink): void {
    const tally = this.#tallies.knownTallyOf(accountId);
    if (tally && tally.seenAt !== Number.NEGATIVE_INFINITY) tally.writeHeaders(to);
  }

  dropAccount(accountId: string): void {
    const tally = this.#tallies.knownTallyOf(accountId);
    if (tally) tally.seenAt = Number.NEGATIVE_INFINITY;
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now();
    const errors: unknown[] = [];
    const attempt = (work: Promise<void>) => work.catch((error) => errors.push(error));
    for (const tally of this.#tallies.listTallies()) {
      if (now >= tally.period.end) this.#end(tally);
      else if (now - tally.spentAt >= IDLE_MS) await attempt(this.#retire(tally));
    }
    for (const tally of [...this.#ended]) await attempt(this.#giveBackEnded(tally));
    // One is reported: where the store cannot be reached, all are the same.
    if (errors.length > 0) throw errors[0];
  }

  async close(): Promise<void> {
    for (const tally of this.#tallies.listTallies()) this.#end(tally);
    for (const tally of [...this.#ended]) await this.#giveBackEnded(tally).catch(this.#onError);
    await this.#lender?.close();
  }

  /** After some time without reads: returns the lease, and drops the account's tally unless it is used again. */
  async #retire(tally: UsageTally): Promise<void> {
    if (tally.leasing || tally.looking) return;
    tally.size = 0;
    await this.#leases.giveBack(tally);
    if (tally.size === 0 && tally.left === 0 && !tally.leasing) this.#tallies.dropTally(tally);
  }

  #end(tally: UsageTally): void {
    this.#tallies.dropTally(tally);
    this.#ended.add(tally);
  }

  async #giveBackEnded(tally: UsageTally): Promise<void> {
    await tally.leasing?.catch(() => {});
    await this.#leases.giveBack(tally);
    this.#ended.delete(tally);
  }
}

/** No request waits for it; a request that needs the result and finds it missing tries again. */
function inBackground(work: Promise<void>): undefined {
  work.catch(() => {});
  return undefined;
}
