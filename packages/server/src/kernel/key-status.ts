import { Fault } from '@mem-service/contract';
import type { Principal } from './caller.ts';
import type { MemberRole } from './key-member.ts';

/** Whether a key is valid. */
export type KeyStatus = {
  key_hash: string;
  expires_at: number | null;
  revoked_at: number | null;
  /** Since when the member that it belongs to is removed. */
  suspended_at: number | null;
  /** The role of that member. */
  member_role: MemberRole | null;
  /** The status of its account. */
  status: string;
};

/** A key as stored. */
export type KnownKey = KeyStatus & {
  account_id: string;
  principal: Principal;
  /** The first of the keys that it replaces by rotation, or itself. */
  holder: string;
  /** What is sent to its address must be signed with one of these. A function, so that nothing that shows a key shows them. */
  secretsAt?: (now: number) => readonly string[];
  rate_limit_rpm: number;
  plan: string | null;
};

/** Looks up keys. */
export type KeySource = {
  /** What is wrong with the form of a key, found without a query. */
  problem(secret: string): string | undefined;
  /** Keys by their hashes; those that are not there are left out. */
  load(keyHashes: readonly string[]): Promise<KnownKey[]>;
  /** The status of many keys at once; deleted keys are left out. */
  statuses(keyHashes: readonly string[]): Promise<KeyStatus[]>;
};

export const keyRefusal = (why: string): Fault => new Fault('unauthenticated', why);

/** A key that has the right form and is not there: a guess, which a revoked or expired key is not. */
export class UnknownKey extends Fault {
  constructor() {
    super('unauthenticated', 'the API key is not known');
  }
}

/** Why a request with this key is refused. */
export function refusalOf(key: KeyStatus, now: number): Fault | undefined {
  const { revoked_at, expires_at, suspended_at, status } = key;
  if (revoked_at !== null) return keyRefusal('the API key was revoked');
  if (expires_at !== null && expires_at <= now) return keyRefusal('the API key has expired');
  if (suspended_at !== null) return keyRefusal('the API key belongs to somebody who was removed from the team');
  if (status !== 'active') return new Fault('account_suspended', 'the account is suspended');
  return undefined;
}
