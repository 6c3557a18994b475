import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '@mem-service/contract';

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
  return (key) => {
    const presented = digest(key ?? '');
    let actor: string | undefined;
    for (const candidate of known) if (timingSafeEqual(candidate.digest, presented)) actor = candidate.actor;
    if (actor === undefined || key === undefined)
      throw new Fault(
        'unauthenticated',
        key === undefined ? 'send the key as X-MEM-API-Key' : 'the API key is not valid',
      );
    return actor;
  };
}
