import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '@mem-service/contract';
import type { KeyRing, KnownKey } from '../kernel/index.ts';
import { type Authenticate, type KeyCheck, type KeyIdentity, refusal } from './auth.ts';

const SECRET_PREFIX = 'mem_sk_';
const MINUTE_MS = 60_000;
/** Wrong keys from one address within a minute, before it has to wait. */
const MAX_FAILURES = 30;
const MAX_ADDRESSES = 10_000;

type KeyFailures = { count: number; until: number };

/** Counts wrong keys by client address to stop guessing. Requests with a cached key are never delayed. */
class FailedKeyCounter {
  readonly #failures = new Map<string, KeyFailures>();

  refuse(address: string): void {
    const seen = this.#failures.get(address);
    const left = (seen?.until ?? 0) - performance.now();
    if (!seen || seen.count < MAX_FAILURES || left <= 0) return;
    const retry_after = Math.ceil(left / 1000);
    throw new Fault('rate_limited', `too many wrong keys; try again in ${retry_after} s`, { retry_after });
  }

  count(address: string): void {
    const now = performance.now();
    const seen = this.#failures.get(address);
    if (seen && seen.until > now) seen.count++;
    else {
      this.#failures.delete(address);
      if (this.#failures.size >= MAX_ADDRESSES) this.#failures.delete(this.#failures.keys().next().value as string);
      this.#failures.set(address, { count: 1, until: now + MINUTE_MS });
    }
  }
}

/** Authenticates keys in the store, each of one account. */
export function authenticateByRing(keys: KeyRing): Authenticate {
  const guesses = new FailedKeyCounter();
  const identities = new WeakMap<KnownKey, KeyIdentity>();
  const identityOf = (known: KnownKey): KeyIdentity => {
    let identity = identities.get(known);
    if (!identity) {
      const { account_id, principal } = known;
      identity = { account_id, actor: `key/${principal.key_id}`, key: principal };
      identities.set(known, identity);
    }
    return identity;
  };
  const find = async (key: string, address: string): Promise<KeyIdentity> => {
    try {
      return identityOf(await keys.find(key));
    } catch (error) {
      if (error instanceof Fault && error.code === 'unauthenticated') guesses.count(address);
      throw error;
    }
  };
  return ({ key, address }) => {
    if (key === undefined) throw refusal(key);
    const held = keys.peek(key);
    if (held) return identityOf(held);
    keys.checkForm(key);
    guesses.refuse(address);
    return find(key, address);
  };
}

/** For a service with one account: keys from the configuration, and keys that its admins created. */
export function authenticateByBoth(list: Authenticate, ring: Authenticate): Authenticate {
  return (presented) => {
    try {
      return list(presented);
    } catch (error) {
      if (!presented.key?.startsWith(SECRET_PREFIX)) throw error;
      return ring(presented);
    }
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** For the control plane only, with its own key. Without a configured key, every request is refused. */
export function internalKeyCheck(internalKey: string | undefined): KeyCheck {
  const expected = internalKey === undefined ? undefined : digest(internalKey);
  const guesses = new FailedKeyCounter();
  return (request, _reply, done) => {
    guesses.refuse(request.ip);
    const { 'x-mem-internal-key': presented } = request.headers;
    const isRight = typeof presented === 'string' && expected && timingSafeEqual(digest(presented), expected);
    if (!isRight) {
      if (presented !== undefined) guesses.count(request.ip);
      throw new Fault('unauthenticated', 'this route is for the control plane: send its key as X-MEM-Internal-Key');
    }
    request.identity = { account_id: '', actor: 'control', control: true };
    done();
  };
}
