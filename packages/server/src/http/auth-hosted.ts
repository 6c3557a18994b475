import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '@mem-service/contract';
import { type KeyRing, type KnownKey, UnknownKey } from '../kernel/index.ts';
import {
  type Authenticate,
  type KeyCheck,
  type KeyIdentity,
  type PresentedKey,
  presentedKey,
  refusal,
} from './auth.ts';
import { FailedKeyCounter } from './key-guesses.ts';

const SECRET_PREFIX = 'mem_sk_';

const MISPLACED = {
  true: 'the key in the address is not of the type webhook: create one that is',
  false: 'a key of the type webhook works only as a part of its address',
};

/** Authenticates keys in the store, each of one account. A valid key is accepted whatever else its address sends. */
export function authenticateByRing(keys: KeyRing): Authenticate {
  const guesses = new FailedKeyCounter();
  const identities = new WeakMap<KnownKey, KeyIdentity>();
  const identityOf = (known: KnownKey): KeyIdentity => {
    let identity = identities.get(known);
    if (!identity) {
      const { account_id, principal, holder, secretsAt } = known;
      identity = { account_id, actor: `key/${principal.key_id}`, holder: `key/${holder}`, key: principal };
      if (secretsAt) identity.secretsAt = secretsAt;
      identities.set(known, identity);
    }
    return identity;
  };
  const find = async ({ key = '', address, isInAddress }: PresentedKey): Promise<KeyIdentity> => {
    try {
      return inItsPlace(await keys.find(key), isInAddress);
    } catch (error) {
      throw error instanceof UnknownKey ? guesses.count(address, error) : error;
    }
  };
  const inItsPlace = (known: KnownKey, isInAddress = false): KeyIdentity => {
    if ((known.principal.type === 'webhook') !== isInAddress)
      throw new Fault('unauthenticated', MISPLACED[`${isInAddress}`]);
    return identityOf(known);
  };
  return (presented) => {
    const { key, isInAddress } = presented;
    if (key === undefined) throw refusal(key);
    const held = keys.peek(key);
    if (held) return inItsPlace(held, isInAddress);
    keys.checkForm(key);
    return find(presented);
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

type IsInternalKey = (presented: unknown) => boolean;

function internalKeyTest(internalKey: string | undefined): IsInternalKey {
  const expected = internalKey === undefined ? undefined : digest(internalKey);
  return (presented) =>
    typeof presented === 'string' && expected !== undefined && timingSafeEqual(digest(presented), expected);
}

/** For the control plane only, with its own key. Without a configured key, every request is refused. */
export function internalKeyCheck(internalKey: string | undefined): KeyCheck {
  const isRight = internalKeyTest(internalKey);
  const guesses = new FailedKeyCounter();
  return (request, _reply, done) => {
    const { 'x-mem-internal-key': presented } = request.headers;
    if (!isRight(presented)) {
      const wrong = new Fault(
        'unauthenticated',
        'this route is for the control plane: send its key as X-MEM-Internal-Key',
      );
      throw presented === undefined ? wrong : guesses.count(request.ip, wrong);
    }
    request.identity = { account_id: '', actor: 'control', control: true };
    done();
  };
}

type MetricsKeyOptions = { internalKey: string | undefined; hosted: boolean; requireKey: KeyCheck };

/**
 * Metrics are about all accounts, so the keys of accounts do not open them. A scraper that cannot set other headers sends
 * the internal key as a bearer token. Where there is one account, its keys are accepted too.
 */
export function metricsKeyCheck({ internalKey, hosted, requireKey }: MetricsKeyOptions): KeyCheck {
  const isRight = internalKeyTest(internalKey);
  const guesses = new FailedKeyCounter();
  return function check(request, reply, done) {
    const presented = request.headers['x-mem-internal-key'] ?? presentedKey(request.headers);
    if (isRight(presented)) {
      request.identity = { account_id: '', actor: 'control', control: true };
      return done();
    }
    if (!hosted) return requireKey.call(this, request, reply, done);
    const wrong = new Fault('unauthenticated', 'metrics are for the operator: send MEM_INTERNAL_KEY as a bearer token');
    throw presented === undefined ? wrong : guesses.count(request.ip, wrong);
  };
}
