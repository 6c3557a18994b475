import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '@mem-service/contract';
import type { onRequestHookHandler } from 'fastify';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Who a presented key belongs to. Throws when it belongs to nobody. */
export type Authenticate = (key: string | undefined) => string;

/**
 * Keys from the configuration. Without any, everybody is let in. Digests of equal length are compared, all of them,
 * so that the time taken tells nothing about a key.
 */
export function authenticateByList(keys: readonly string[]): Authenticate {
  if (keys.length === 0) return () => 'anonymous';
  const known = keys.map((key, i) => ({ digest: digest(key), actor: `key/${i + 1}` }));
  // Keys that were found valid once. A look-up by the hash of the whole key tells nothing about a wrong one.
  const accepted = new Map<string, string>();
  return (key) => {
    const before = key === undefined ? undefined : accepted.get(key);
    if (before !== undefined) return before;
    const presented = digest(key ?? '');
    let actor: string | undefined;
    for (const candidate of known) if (timingSafeEqual(candidate.digest, presented)) actor = candidate.actor;
    if (actor === undefined || key === undefined)
      throw new Fault(
        'unauthenticated',
        key === undefined ? 'send the key as X-MEM-API-Key' : 'the API key is not valid',
      );
    accepted.set(key, actor);
    return actor;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request came with. */
    actor: string;
  }
}

/** The key, from either header. */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-mem-api-key'];
  if (typeof key === 'string') return key;
  const [scheme, token] = (headers.authorization ?? '').split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' ? token : undefined;
}

/** Runs before a byte of the body is read. */
export type KeyCheck = onRequestHookHandler;

export function keyCheck(authenticate: Authenticate): KeyCheck {
  return (request, _reply, done) => {
    request.actor = authenticate(presentedKey(request.headers));
    done();
  };
}
