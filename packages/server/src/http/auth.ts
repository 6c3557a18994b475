import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '@mem-service/contract';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Caller, type KnownKey, SELF_HOSTED_ACCOUNT } from '../kernel/index.ts';

/** The account and key of a request, known before anything else is read. */
export type KeyIdentity = Pick<Caller, 'account_id' | 'actor' | 'holder' | 'key' | 'control'> &
  Pick<KnownKey, 'secretsAt'>;

/** A key of the type webhook is accepted only where it is part of the address. */
export type PresentedKey = { key: string | undefined; address: string; isInAddress?: true };

/** Returns the identity of a key. Throws when the key is unknown. */
export type Authenticate = (presented: PresentedKey) => KeyIdentity | Promise<KeyIdentity>;

const digest = (text: string) => createHash('sha256').update(text).digest();
const self = (actor: string): KeyIdentity => ({ account_id: SELF_HOSTED_ACCOUNT, actor });

export const ANYBODY = self('anonymous');

export function refusal(key: string | undefined): Fault {
  return new Fault('unauthenticated', key === undefined ? 'send the key as X-MEM-API-Key' : 'the API key is not valid');
}

/**
 * Keys from the configuration. Without any, every request is admitted. Compares digests of equal length, all of them,
 * so that the time taken reveals nothing about a key.
 */
export function authenticateByList(keys: readonly string[]): Authenticate {
  if (keys.length === 0) return () => ANYBODY;
  const known = keys.map((key, i) => ({
    digest: digest(key),
    identity: { ...self(`key/${i + 1}`), holder: i === 0 ? '' : `key/${i + 1}` },
  }));
  // Keys that were accepted before. A look-up by the hash of the whole key reveals nothing about a wrong one.
  const accepted = new Map<string, KeyIdentity>();
  return ({ key }) => {
    const before = key === undefined ? undefined : accepted.get(key);
    if (before !== undefined) return before;
    const presented = digest(key ?? '');
    let identity: KeyIdentity | undefined;
    for (const candidate of known) if (timingSafeEqual(candidate.digest, presented)) identity = candidate.identity;
    if (identity === undefined || key === undefined) throw refusal(key);
    accepted.set(key, identity);
    return identity;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    identity: KeyIdentity;
  }
}

/** The key, from either header. */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-mem-api-key'];
  if (typeof key === 'string') return key;
  const [scheme, token] = (headers.authorization ?? '').split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' ? token : undefined;
}

export const presentedBy = ({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>): PresentedKey => ({
  key: presentedKey(headers),
  address: ip,
});

/** Runs before the body is read. */
export type KeyCheck = onRequestHookHandler;

/** Runs after a key was accepted, before the request is handled. */
export type AfterKeyCheck = (identity: KeyIdentity) => Promise<void> | undefined;

export function keyCheck(authenticate: Authenticate, welcome: AfterKeyCheck = () => undefined): KeyCheck {
  return (request, _reply, done) => {
    const goOn = (identity: KeyIdentity): void => {
      request.identity = identity;
      let waiting: Promise<void> | undefined;
      try {
        waiting = welcome(identity);
      } catch (refusal) {
        done(refusal as Error);
        return;
      }
      if (waiting !== undefined) waiting.then(() => done(), done);
      else done();
    };
    const found = authenticate(presentedBy(request));
    if (found instanceof Promise) found.then(goOn, done);
    else goOn(found);
  };
}
