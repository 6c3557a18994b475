import type { Doors } from './db/index.ts';

/**
 * Under row-level security an account reaches its own rows alone. These are the exceptions, all of them: what is less than
 * that, and what is done over all accounts, by the columns it takes.
 */
export const doors: Doors = {
  own: {
    accounts: ['SELECT', 'UPDATE'],
    // A line stays as it is; only an erasure takes out what it was about, or the name of an agent.
    audit: ['SELECT', 'INSERT', 'UPDATE (resource, before_hash, after_hash, subject_salt, agent_id, agent_salt)'],
    usage_ledger: ['SELECT', 'INSERT'],
  },
  upkeep: {
    accounts: [
      'SELECT (account_id, number, name, plan, status, created_at, seq, item_no, exported_seq, exported_item_no)',
      'SELECT (deleted_at, purged_at)',
      'INSERT',
    ],
    // Whose key was presented, and when it was last used.
    api_keys: ['SELECT', 'UPDATE (last_used_at)'],
    // How far each log is, and which types of events are there, for those that consume them.
    events: ['SELECT (account_id, seq, event_type)'],
    consumer_cursors: ['SELECT (account_id, consumer, seq, claimed_by)', 'INSERT', 'UPDATE (seq)'],
    consumer_dead_letters: ['SELECT (account_id, consumer, retry)'],
    entries: ['SELECT (account_id, branch, entity_path, key, ttl_at, deleted)'],
    sessions: ['SELECT (account_id, agent_id, session, last_at)'],
    stored_answers: ['SELECT (account_id, created_at)', 'DELETE'],
    otel_spans: ['SELECT (account_id, at)', 'DELETE'],
    otel_traces: ['SELECT (account_id, at)', 'DELETE'],
    retention: ['SELECT'],
    audit: ['SELECT (account_id, no)', 'DELETE'],
    usage_ledger: ['SELECT (account_id, period, no)', 'DELETE'],
    // How often each key was used in a minute, which all servers count together.
    rate_cells: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  },
  shared: {
    consumers: ['SELECT', 'INSERT', 'UPDATE'],
    maintenance_tasks: ['SELECT', 'INSERT', 'UPDATE'],
    servers: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  },
  // Lines that nobody removes go with their account.
  ended: ['audit', 'usage_ledger'],
  words: {
    entries: {
      view: 'words_of_entries',
      columns: ['account_id', 'branch', 'entity_path', 'seq', 'search_words', 'word_count'],
    },
    traces: { view: 'words_of_traces', columns: ['account_id', 'seq', 'search_words'] },
  },
};
