import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Principal, type RateLimitedKey, type Services, UNBOUNDED } from '../kernel/index.ts';
import type { KeyIdentity } from './auth.ts';

export type RequestMetering = {
  /** Called right after the key check: counts the request, and refuses it when there are too many. */
  countRequest(identity: KeyIdentity): Promise<void> | undefined;
  /** Counts a further call within a request, such as one of a batch, and refuses it when there are too many. */
  countCall(identity: KeyIdentity): void;
  /** Charges a request for an unknown address under the API like a read. */
  unmatched(identity: KeyIdentity, path: string): Promise<void> | undefined;
  /** Adds the remaining quota to the headers of an answer. */
  writeHeaders(reply: FastifyReply): void;
  /** Adds the headers to every answer. */
  writeAllHeaders(server: FastifyInstance): void;
};

const UNMATCHED = { cost: 1, effect: 'read' } as const;

/** The metering of a hosted service; without a meter and a limiter it does nothing. */
export function meteringOf({
  meter,
  limiter,
  boundsOf,
}: Pick<Services, 'meter' | 'limiter' | 'boundsOf'>): RequestMetering {
  const limitedBy = limitsOf(boundsOf);
  const writeHeaders = (reply: FastifyReply): void => {
    const { identity } = reply.request;
    if (!identity?.key) return;
    meter?.writeHeaders(identity.account_id, reply);
    const limited = limitedBy(identity.key, identity.account_id);
    if (limited) limiter?.writeHeaders(limited, reply);
  };
  const countCall = ({ account_id, key }: KeyIdentity): void => {
    const limited = key && limitedBy(key, account_id);
    if (limited) limiter?.take(limited);
  };
  return {
    countCall,
    countRequest(identity) {
      const { account_id, key } = identity;
      if (!key) return undefined;
      countCall(identity);
      // If the store is unreachable, the operation reports it; only headers depend on this.
      return meter?.ready(account_id)?.catch(() => {});
    },
    unmatched: ({ account_id, key }, path) =>
      key && path.startsWith('/api/') ? meter?.pay(account_id, UNMATCHED) : undefined,
    writeHeaders,
    writeAllHeaders(server) {
      server.addHook('onSend', (...[, reply, , done]) => {
        writeHeaders(reply);
        done();
      });
    },
  };
}

/** A key may make what it was given, and no more than its plan allows. */
function limitsOf(boundsOf: Services['boundsOf']) {
  const known = new WeakMap<Principal, RateLimitedKey>();
  return (key: Principal, account_id: string): RateLimitedKey | undefined => {
    const { key_id, rate_limit_rpm, plan = null } = key;
    if (rate_limit_rpm === undefined) return undefined;
    let limited = known.get(key);
    if (!limited) {
      const { key_rate_rpm, rate_rpm } = boundsOf?.(plan) ?? UNBOUNDED;
      const own = key_rate_rpm === null ? rate_limit_rpm : Math.min(rate_limit_rpm, key_rate_rpm);
      limited = { account_id, key_id, rate_limit_rpm: own, account_rpm: rate_rpm };
      known.set(key, limited);
    }
    return limited;
  };
}
