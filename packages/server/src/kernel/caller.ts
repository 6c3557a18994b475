import type { MemberRole } from './key-member.ts';
import type { RoomMember } from './rooms.ts';
import type { Scope } from './scope.ts';

/** What a key permits its holder. An undefined scope means the whole account. */
export type Principal = {
  key_id: string;
  name: string;
  type: 'agent' | 'admin' | 'service' | 'webhook';
  /** Of a key of the type webhook: the connector that it delivers to, and it may do nothing else. */
  connector?: string;
  /** The hash of the key, to look it up again while a stream is open. */
  hash?: string;
  read?: Scope;
  write?: Scope;
  /** The agents that the key may act and read as; undefined means all. */
  agent_ids?: readonly string[];
  /** Whether sessions that it names are open to other keys that share theirs. */
  shares_sessions?: boolean;
  /** The branch of calls that name none. */
  default_branch?: string;
  /** The member of a team that the key belongs to, if any. */
  member?: { member_id: string; role: MemberRole };
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
  /**
   * The key together with those that it replaced: open sessions belong to it. Empty for the first key of the configuration,
   * which has those of callers without a key too; undefined for these.
   */
  holder?: string | undefined;
  agent_id: string;
  session_id: string | null;
  /** The branch that its client works on, for calls that name none. */
  branch?: string | undefined;
  address: string | null;
  request_id: string;
  idempotency_key?: string | undefined;
  /** A server that only reads answers once it has the log up to here. */
  min_seq?: number | undefined;
  /** A read says how far the log reached, too. */
  wants_seq?: boolean;
  /** Set when a write of the caller is done, or a read that wants it: the log reaches at least this far. */
  seq?: number | undefined;
  /** Undefined when the service requires no key: every caller may do everything in its account. */
  key?: Principal | undefined;
  /** The user behind a shared key, as given by the client. */
  user?: string | undefined;
  /** In a room: as which member of it. */
  room?: RoomMember;
  /** What it does was paid for when it was admitted, and is not charged again. */
  is_prepaid?: true;
  /** The operator, over all accounts. */
  control?: true;
};

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
