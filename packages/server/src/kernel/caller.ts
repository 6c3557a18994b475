import type { Scope } from './scope.ts';

/** What a key permits its holder. An undefined scope means the whole account. */
export type Principal = {
  key_id: string;
  name: string;
  type: 'agent' | 'admin' | 'service';
  /** The hash of the key, to look it up again while a stream is open. */
  hash?: string;
  read?: Scope;
  write?: Scope;
  /** Requests per minute; undefined means no limit. */
  rate_limit_rpm?: number;
  /** The plan of its account. */
  plan?: string | null;
};

/** On whose behalf an operation runs. Transports create it; nothing below depends on the transport. */
export type Caller = {
  account_id: string;
  /** The id of the key, or a replacement for one. Never the key's value. */
  actor: string;
  agent_id: string;
  session_id: string | null;
  address: string | null;
  request_id: string;
  idempotency_key?: string | undefined;
  /** Undefined when the service requires no key: every caller may do everything in its account. */
  key?: Principal | undefined;
  /** The user behind a shared key, as given by the client. */
  user?: string | undefined;
  /** The operator, over all accounts. */
  control?: true;
};

/** No session named by a caller starts with a control character. */
const IMPLICIT = '\u001f';

/** The internal name of a session. An agent that names none has one implicit session per key. */
export const sessionName = (session_id: string | null, actor: string): string => session_id ?? IMPLICIT + actor;

/** The name of a session as callers know it. */
export const sessionIdOf = (session: string): string | null => (session.startsWith(IMPLICIT) ? null : session);

/** The one account of a self-hosted service. */
export const SELF_HOSTED_ACCOUNT = '00000000-0000-0000-0000-000000000001';

/** The service itself, for its own maintenance. */
export const SELF_CALLER: Caller = {
  account_id: SELF_HOSTED_ACCOUNT,
  actor: 'system',
  agent_id: 'system',
  session_id: null,
  address: null,
  request_id: 'system',
};
