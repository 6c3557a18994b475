import { Fault } from '@mem-service/contract';
import type { Principal } from './caller.ts';

/** Whether a key opens anything. */
export type KeyStatus = {
  key_hash: string;
  expires_at: number | null;
  revoked_at: number | null;
  /** Of its account. */
  status: string;
};

/** A key as the store knows it. */
export type KnownKey = KeyStatus & {
  account_id: string;
  principal: Principal;
  rate_limit_rpm: number;
  plan: string | null;
};

/** Where keys are looked up. */
export type KeySource = {
  /** What is wrong with the form of a key, told without asking the store. */
  problem(secret: string): string | undefined;
  load(keyHash: string): Promise<KnownKey | undefined>;
  /** Of many keys at once; those that are gone are left out. */
  statuses(keyHashes: readonly string[]): Promise<KeyStatus[]>;
};

export const keyRefusal = (why: string): Fault => new Fault('unauthenticated', why);

/** Why a request with this key is not let in. */
export function refusalOf({ revoked_at, expires_at, status }: KeyStatus, now: number): Fault | undefined {
  if (revoked_at !== null) return keyRefusal('the API key was revoked');
  if (expires_at !== null && expires_at <= now) return keyRefusal('the API key has expired');
  if (status !== 'active') return new Fault('account_suspended', 'the account is suspended');
  return undefined;
}
