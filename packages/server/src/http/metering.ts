import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Principal, RateLimitedKey, Services } from '../kernel/index.ts';
import type { KeyIdentity } from './auth.ts';

export type RequestMetering = {
  /** Right after the key was checked: counts the request, and refuses it where there are too many. */
  countRequest(identity: KeyIdentity): Promise<void> | undefined;
  /** A request for something under the interface that there is not is charged like a read. */
  unmatched(identity: KeyIdentity, path: string): Promise<void> | undefined;
  /** What is left, in the headers of an answer. */
  writeHeaders(reply: FastifyReply): void;
  /** On every answer that goes out. */
  writeAllHeaders(server: FastifyInstance): void;
};

const UNMATCHED = { cost: 1, effect: 'read' } as const;

/** What a hosted service counts, where there is something to count. */
export function meteringOf({ meter, limiter }: Pick<Services, 'meter' | 'limiter'>): RequestMetering {
  const writeHeaders = (reply: FastifyReply): void => {
    const { identity } = reply.request;
    if (!identity?.key) return;
    meter?.writeHeaders(identity.account_id, reply);
    const limited = limitedBy(identity.key, identity.account_id);
    if (limited) limiter?.writeHeaders(limited, reply);
  };
  return {
    countRequest({ account_id, key }) {
      if (!key) return undefined;
      const limited = limitedBy(key, account_id);
      if (limited) limiter?.take(limited);
      // Without the store the operation says what is wrong; here it is only about headers.
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

const known = new WeakMap<Principal, RateLimitedKey>();

function limitedBy(key: Principal, account_id: string): RateLimitedKey | undefined {
  const { key_id, rate_limit_rpm } = key;
  if (rate_limit_rpm === undefined) return undefined;
  let limited = known.get(key);
  if (!limited) {
    limited = { account_id, key_id, rate_limit_rpm };
    known.set(key, limited);
  }
  return limited;
}
