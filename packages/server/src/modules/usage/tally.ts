import type { HeaderSink, PlanUsage } from '../../kernel/index.ts';
import type { UsageCounter } from './queries.ts';
import { leaseSize } from './rules/lease.ts';
import { levelOf, type UsageLevel } from './rules/levels.ts';
import type { Period } from './rules/period.ts';

/** How soon charges of other servers are seen here, while the account is in use. */
export const SEEN_MS = 1_000;

/** The usage of an account in one period as this server sees it, and its lease. All numbers are integers. */
export class UsageTally {
  readonly account_id: string;
  readonly period: Period;
  plan: string | null = null;
  /** Null is no limit; without a plan it is 0. */
  limit: number | null = 0;
  hasPlan = false;
  /** The counter as last read, including ops that are leased and not spent yet. */
  no = 0;
  used = 0;
  /** Ops left of this server's lease. Below 0: ops spent before they were leased. */
  left = 0;
  /** Ops that are being returned. */
  returning = 0;
  /** The size of the last lease; 0 where there is none. */
  size = 0;
  lease_id: string | undefined;
  /** The lease, or the read of the store, in progress. */
  leasing: Promise<void> | undefined;
  looking: Promise<void> | undefined;
  givingBack: Promise<void> | undefined;
  /** When something was last spent, by the service's clock. */
  spentAt = 0;
  /** When the store was last read; the result is valid for `SEEN_MS`. */
  seenAt = Number.NEGATIVE_INFINITY;
  #spent = 0;
  #since = performance.now();
  #limitText = '0';
  #shownRemaining: number | undefined;
  #remainingText = '';

  constructor(account_id: string, period: Period) {
    this.account_id = account_id;
    this.period = period;
  }

  get spent(): number {
    return this.used - this.left - this.returning;
  }

  get remaining(): number | null {
    return this.limit === null ? null : Math.max(0, this.limit - this.spent);
  }

  get level(): UsageLevel | null {
    return levelOf(this.spent, this.limit);
  }

  spend(ops: number, now: number): void {
    this.left -= ops;
    this.#spent += ops;
    this.spentAt = now;
  }

  /** Nothing is left, according to a recent read of the store. */
  get isOver(): boolean {
    const isOver = !this.hasPlan || (this.limit !== null && this.used >= this.limit);
    return isOver && performance.now() - this.seenAt < SEEN_MS;
  }

  /** Sets the plan; `limit` is undefined where no plan has that name. */
  setPlan(plan: string | null, limit: number | null | undefined): void {
    this.plan = plan;
    this.hasPlan = limit !== undefined;
    this.limit = limit === undefined ? 0 : limit;
    this.#limitText = this.limit === null ? 'unlimited' : String(this.limit);
  }

  /** Ignores a counter older than the known one. */
  see({ no, ops_used }: UsageCounter): void {
    this.seenAt = performance.now();
    if (no < this.no) return;
    this.no = no;
    this.used = ops_used;
  }

  /** The size of the next lease, by what was spent since the last. */
  nextSize(): number {
    const ms = performance.now() - this.#since;
    return leaseSize({ size: this.size, spent: this.#spent, ms, limit: this.limit });
  }

  leased({ ops, size, lease_id }: { ops: number; size: number; lease_id: string }): void {
    this.left += ops;
    this.size = size;
    this.lease_id = lease_id;
    this.#spent = 0;
    this.#since = performance.now();
  }

  planUsage(): PlanUsage {
    return {
      plan: this.plan,
      has_plan: this.hasPlan,
      period: this.period,
      ops_used: this.spent,
      ops_limit: this.limit,
      ops_remaining: this.remaining,
      warning_level: this.level,
    };
  }

  writeHeaders(to: HeaderSink): void {
    const { remaining } = this;
    if (remaining === null) {
      to.header('x-mem-ops-remaining', 'unlimited');
      to.header('x-mem-ops-limit', 'unlimited');
      return;
    }
    if (remaining !== this.#shownRemaining) {
      this.#shownRemaining = remaining;
      this.#remainingText = String(remaining);
    }
    to.header('x-mem-ops-remaining', this.#remainingText);
    to.header('x-mem-ops-limit', this.#limitText);
    const { level } = this;
    if (level !== null) to.header('x-mem-usage-warning', String(level));
  }
}
