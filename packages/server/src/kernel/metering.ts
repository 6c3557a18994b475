import { type Operation, operations } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import type { Work } from './work.ts';

/** Ops that a transaction adds to an account, or takes back; one line of its ledger. */
export type Charge = {
  class: 'write' | 'lease' | 'return' | 'record';
  ops: number;
  requests: number;
  /** That of the transaction where it is left out. */
  period?: string;
  lease_id?: string;
};

export type OperationCost = Pick<Operation, 'cost' | 'effect'>;

/** Takes headers, as an answer on its way does. */
export type HeaderSink = { header(name: string, value: string): unknown };

/** How an account stands in the current period. No limit is null. */
export type PlanUsage = {
  plan: string | null;
  has_plan: boolean;
  period: { name: string; start: number; end: number };
  ops_used: number;
  ops_limit: number | null;
  ops_remaining: number | null;
  warning_level: 80 | 95 | 100 | null;
};

export type MeteredCall = { name: string; caller: Caller };
type RefuseJob<J> = (job: J, result: { error: unknown }) => void;

/** Work on an account that is not audited: the meter's own. */
export type OnAccount = (accountId: string, run: (work: Work) => Promise<void>) => Promise<void>;

/** Counts ops against plans. Only a hosted service has one. */
export interface Meter {
  start(onAccount: OnAccount, onError: (error: unknown) => void): void;
  /** Knows the account from memory, or looks it up first. */
  ready(accountId: string): Promise<void> | undefined;
  /** Before an operation runs. A read is paid here, at once wherever it can be; a write when it is committed. */
  pay(accountId: string, price: OperationCost): Promise<void> | undefined;
  /** What was paid for and the service could not do. */
  refund(accountId: string, ops: number): void;
  /** Within a transaction: which of these writes the plan still allows. */
  refuseOverPlan<J extends MeteredCall>(work: Work, jobs: J[], refuse: RefuseJob<J>): Promise<J[]>;
  /** At the end of a transaction: ledger and counter together. */
  write(work: Work, charges: readonly Charge[]): void;
  /** Makes room for that many ops by giving back what this server has leased and not spent, where that helps. */
  makeRoom(accountId: string, ops: number): Promise<void>;
  /** Adds usage from elsewhere, within the plan; refuses by throwing a Fault. */
  record(work: Work, ops: number): Promise<PlanUsage>;
  /** Looked up now. */
  planUsage(accountId: string): Promise<PlanUsage>;
  writeHeaders(accountId: string, to: HeaderSink): void;
  /** After a change of the account on this server. */
  dropAccount(accountId: string): void;
  /** Now and then: gives back what is leased and not used. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export type RateLimitedKey = { account_id: string; key_id: string; rate_limit_rpm: number };

/** Requests a minute, by key. */
export interface RateLimiter {
  /** Counts the request; or refuses it by throwing a Fault. */
  take(key: RateLimitedKey): void;
  writeHeaders(key: RateLimitedKey, to: HeaderSink): void;
  close(): Promise<void>;
}

/** What a write is charged when it succeeds. Whoever works on the store without a key is not charged. */
export function writeCharge({ name, caller }: MeteredCall): number {
  if (!caller.key) return 0;
  const price = (operations as Readonly<Record<string, OperationCost | undefined>>)[name];
  return price?.effect === 'write' ? price.cost : 0;
}
