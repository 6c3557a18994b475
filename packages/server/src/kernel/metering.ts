import { type Operation, operations } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import type { Work } from './work.ts';

/** Ops that a transaction charges to an account, or refunds; one line of its usage ledger. */
export type Charge = {
  class: 'write' | 'lease' | 'return' | 'record';
  ops: number;
  requests: number;
  /** The period of the transaction by default. */
  period?: string;
  lease_id?: string;
};

export type OperationCost = { cost: number; effect: Operation['effect'] };

/** Takes headers, as a reply does. */
export type HeaderSink = { header(name: string, value: string): unknown };

/** The usage of an account in the current period. A limit of null means no limit. */
export type PlanUsage = {
  plan: string | null;
  has_plan: boolean;
  period: { name: string; start: number; end: number };
  ops_used: number;
  ops_limit: number | null;
  ops_remaining: number | null;
  warning_level: 80 | 95 | 100 | null;
};

export type MeteredCall = { name: string; caller: Caller; input?: unknown };
type RefuseJob<J> = (job: J, result: { error: unknown }) => void;

/** Runs the meter's own work on an account, which is not audited. */
export type OnAccount = (accountId: string, run: (work: Work) => Promise<void>) => Promise<void>;

/** Counts ops against plans. Only a hosted service has a meter. */
export interface Meter {
  start(onAccount: OnAccount, onError: (error: unknown) => void): void;
  /** Loads the account unless it is cached. */
  ready(accountId: string): Promise<void> | undefined;
  /**
   * Called before an operation runs. A read is charged here, without waiting where possible; a write is charged on
   * commit.
   */
  pay(accountId: string, price: OperationCost): Promise<void> | undefined;
  /** Refunds a read that failed because of the service. */
  refund(accountId: string, ops: number): void;
  /** Called within a transaction: returns the writes that the plan still allows. */
  refuseOverPlan<J extends MeteredCall>(work: Work, jobs: readonly J[], refuse: RefuseJob<J>): Promise<readonly J[]>;
  /** Called at the end of a transaction: writes ledger and counter together. */
  write(work: Work, charges: readonly Charge[]): void;
  /** Makes room for that many ops by returning the unspent part of this server's lease, where that helps. */
  makeRoom(accountId: string, ops: number): Promise<void>;
  /** Adds usage reported by another system, within the plan; throws a Fault to refuse. */
  record(work: Work, ops: number): Promise<PlanUsage>;
  /** Reads it from the store. */
  planUsage(accountId: string): Promise<PlanUsage>;
  writeHeaders(accountId: string, to: HeaderSink): void;
  /** Called after a change of the account on this server. */
  dropAccount(accountId: string): void;
  /** Called periodically: returns unused leases. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** `account_rpm`: what all keys of the account may make together; null is no limit. */
export type RateLimitedKey = {
  account_id: string;
  key_id: string;
  rate_limit_rpm: number;
  account_rpm: number | null;
};

/** Limits requests per minute, by key. */
export interface RateLimiter {
  /** Counts the request; throws a Fault when there are too many. */
  take(key: RateLimitedKey): void;
  writeHeaders(key: RateLimitedKey, to: HeaderSink): void;
  /** Requests of the last minute: of the key, and of its account. */
  requestsOf(key: Pick<RateLimitedKey, 'account_id' | 'key_id'>): { key: number; account: number };
  close(): Promise<void>;
}

/** What a call costs: each item of a list, where that is what is charged. */
export function priceOf(name: string, input: unknown): OperationCost {
  const { cost, effect, cost_per } = (operations as Readonly<Record<string, Operation | undefined>>)[name] ?? NO_PRICE;
  if (cost_per === undefined) return { cost, effect };
  const items = (input as Readonly<Record<string, unknown>>)[cost_per];
  return { cost: cost * (Array.isArray(items) ? items.length : 1), effect };
}

const NO_PRICE = { cost: 0, effect: 'none', cost_per: undefined } as const;

/** The charge for a write that succeeds. Work on the store without a key is free. */
export function writeCharge({ name, caller, input }: MeteredCall): number {
  if (!caller.key || caller.is_prepaid) return 0;
  const { cost, effect } = priceOf(name, input);
  return effect === 'write' ? cost : 0;
}
