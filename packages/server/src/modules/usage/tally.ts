import type { HeaderSink, PlanUsage } from '../../kernel/index.ts';
import type { UsageCounter } from './queries.ts';
import { leaseSize } from './rules/lease.ts';
import { levelOf, type UsageLevel } from './rules/levels.ts';
import type { Period } from './rules/period.ts';

/** What other servers charge is seen here after this long, while the account is in use. */
export const SEEN_MS = 1_000;

/** What this server knows of an account in one period, and what it has leased. Whole numbers, all of it. */
export class UsageTally {
  readonly account_id: string;
  readonly period: Period;
  plan: string | null = null;
  /** Null is no limit; without a plan it is 0. */
  limit: number | null = 0;
  hasPlan = false;
  /** The counter as it was seen last, with what is leased and not spent yet. */
  no = 0;
  used = 0;
  /** Of what this server has leased. Below 0 is what was spent before it was leased. */
  left = 0;
  /** On its way back. */
  returning = 0;
  /** Of the last lease; 0 where there is none. */
  size = 0;
  lease_id: string | undefined;
  /** The lease, or the look at the store, that is on its way. */
  leasing: Promise<void> | undefined;
  looking: Promise<void> | undefined;
  givingBack: Promise<void> | undefined;
  /** By the clock of the service: when something was spent last. */
  spentAt = 0;
  /** When the store was seen last, for how long that may be believed. */
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

  /** Nothing is left, as far as the store was seen a moment ago. */
  get isOver(): boolean {
    const isOver = !this.hasPlan || (this.limit !== null && this.used >= this.limit);
    return isOver && performance.now() - this.seenAt < SEEN_MS;
  }

  /** What the plan is, undefined where there is none of that name. */
  setPlan(plan: string | null, limit: number | null | undefined): void {
    this.plan = plan;
    this.hasPlan = limit !== undefined;
    this.limit = limit === undefined ? 0 : limit;
    this.#limitText = this.limit === null ? 'unlimited' : String(this.limit);
  }

  /** What is older than what is known already is passed over. */
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
