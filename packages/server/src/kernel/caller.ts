import type { Scope } from './scope.ts';

/** What a key lets its holder do. Where a reach is left out, it is the whole account. */
export type Principal = {
  key_id: string;
  name: string;
  type: 'agent' | 'admin' | 'service';
  /** To look it up again while something stays open for it. */
  hash?: string;
  read?: Scope;
  write?: Scope;
  /** Requests a minute; as many as it likes where it is left out. */
  rate_limit_rpm?: number;
};

/** On whose behalf an operation runs. Transports make it; nothing below asks who they are. */
export type Caller = {
  account_id: string;
  /** The key, or what stands in for one. Never the key's value. */
  actor: string;
  agent_id: string;
  session_id: string | null;
  address: string | null;
  request_id: string;
  idempotency_key?: string | undefined;
  /** Left out where no key is asked for: who reaches the service may do everything in its account. */
  key?: Principal | undefined;
  /** Who stands behind a key that many use, as they say themselves. */
  user?: string | undefined;
  /** Whoever runs the service, over all accounts. */
  control?: true;
};

/** No session that a caller can name starts with a control character. */
const IMPLICIT = '\u001f';

/** A session as the service names it. An agent that names none has one of its own for each key. */
export const sessionName = (session_id: string | null, actor: string): string => session_id ?? IMPLICIT + actor;

/** A session as callers name it. */
export const sessionIdOf = (session: string): string | null => (session.startsWith(IMPLICIT) ? null : session);

/** The one account of a self-hosted service. */
export const SELF_HOSTED_ACCOUNT = '00000000-0000-0000-0000-000000000001';

/** The service itself, for its own housekeeping. */
export const SELF_CALLER: Caller = {
  account_id: SELF_HOSTED_ACCOUNT,
  actor: 'system',
  agent_id: 'system',
  session_id: null,
  address: null,
  request_id: 'system',
};
