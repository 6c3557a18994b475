/** Event types, as the log and the timelines of an account name them. */
export const eventTypes = [
  'write',
  'delete',
  'expire',
  'commit',
  'erase',
  'context',
  'action',
  'error',
  'llm_call',
  'span',
  'attributes',
  'attempt',
  'outcome',
  'trace',
  'cross_agent_read',
  'brief_compiled',
  'webhook_ingested',
  'dead_letter_replayed',
  'branch_created',
  'branch_merged',
  'branch_closed',
  'branch_reopened',
  'branch_updated',
  'branch_refreshed',
  'conflict_resolved',
  'pull_request_opened',
  'pull_request_updated',
  'pull_request_reviewed',
  'pull_request_checked',
  'pull_request_merged',
  'pull_request_closed',
  'pull_request_reopened',
  'access_granted',
  'access_revoked',
  'tag_created',
  'tag_deleted',
  'rollback',
  'cherry_pick',
  'fork',
  'edge_added',
  'agent_updated',
  'api_key_created',
  'api_key_revoked',
  'api_key_rotated',
  'team_created',
  'team_updated',
  'team_deleted',
  'member_added',
  'member_updated',
  'member_removed',
  'member_reinstated',
  'account_created',
  'account_updated',
  'account_deleted',
  'golden_query_added',
  'golden_query_deleted',
  'retrieval_set',
  'retention_set',
  'clock_corrected',
  'consolidation_started',
  'consolidation_proposed',
  'consolidation_approved',
  'consolidation_rejected',
  'consolidation_auto_merged',
] as const;

/** Types that have another name in the stream. In a browser, `error` is the event of a failed connection. */
const STREAM_NAMES: Readonly<Record<string, string>> = { write: 'memory_write', error: 'session_error' };
const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STREAM_NAMES).map(([type, name]) => [name, type]),
);

export const streamNameOf = (eventType: string): string => STREAM_NAMES[eventType] ?? eventType;

/** Returns the log's name of an event type, given either name. */
export const eventTypeOf = (name: string): string => TYPES[name] ?? name;

/** Every name that an event filter accepts. */
export const eventNames: readonly string[] = [...eventTypes, ...Object.keys(TYPES)];
