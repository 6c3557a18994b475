import type { Migration } from '../db/index.ts';

export const kernelMigrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 1,
    name: 'accounts, log, audit, stored answers',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE accounts (
          account_id ${text} PRIMARY KEY,
          number ${int} NOT NULL UNIQUE,
          seq ${int} NOT NULL,
          audit_no ${int} NOT NULL,
          last_at ${int} NOT NULL,
          created_at ${int} NOT NULL
        ) ${clustered}`,
        `CREATE TABLE events (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          event_type ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          entity_path ${text},
          key ${text},
          version ${int},
          visible_to ${text} NOT NULL,
          details ${text} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, seq)
        ) ${clustered}`,
        `CREATE TABLE audit (
          account_id ${text} NOT NULL,
          no ${int} NOT NULL,
          at ${int} NOT NULL,
          actor ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          action ${text} NOT NULL,
          resource ${text} NOT NULL,
          address ${text},
          request_id ${text} NOT NULL,
          PRIMARY KEY (account_id, no)
        ) ${clustered}`,
        `CREATE TABLE stored_answers (
          account_id ${text} NOT NULL,
          idempotency_key ${text} NOT NULL,
          request_hash ${text} NOT NULL,
          entity_path ${text},
          answer ${text} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, idempotency_key)
        ) ${clustered}`,
        'CREATE INDEX stored_answers_by_time ON stored_answers (created_at)',
      ];
    },
  },
  {
    version: 2,
    legacy: 6,
    name: 'agents in the log',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `ALTER TABLE events ADD COLUMN session ${text} NOT NULL DEFAULT ''`,
        `ALTER TABLE events ADD COLUMN actor_agent_id ${text}`,
        'CREATE INDEX events_by_agent ON events (account_id, agent_id, seq)',
        // Only sessions named by a caller: implicit names begin with a control character.
        `CREATE INDEX events_by_session ON events (account_id, agent_id, session, seq) WHERE session >= ' '`,
        // For erasure: reads by other agents name an entry but belong to none of its versions.
        `CREATE INDEX events_of_reads ON events (account_id, entity_path) WHERE event_type = 'cross_agent_read'`,
        `ALTER TABLE accounts ADD COLUMN item_no ${int} NOT NULL DEFAULT 0`,
        `CREATE TABLE agents (
          account_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          first_at ${int} NOT NULL,
          last_at ${int} NOT NULL,
          PRIMARY KEY (account_id, agent_id, visible_to)
        ) ${clustered}`,
        // Agents that wrote before this table existed.
        `INSERT INTO agents (account_id, agent_id, visible_to, first_at, last_at)
          SELECT account_id, agent_id, visible_to, min(created_at), max(created_at) FROM events
          GROUP BY account_id, agent_id, visible_to`,
      ];
    },
  },
  {
    version: 3,
    legacy: 20,
    name: 'audit as a chain',
    up: ({ text }) => [
      ...['key_id', 'key_name', 'user_name', 'before_hash', 'after_hash', 'subject_salt', 'subject_hash', 'hash'].map(
        (column) => `ALTER TABLE audit ADD COLUMN ${column} ${text}`,
      ),
      `ALTER TABLE accounts ADD COLUMN audit_hash ${text} NOT NULL DEFAULT ''`,
    ],
  },
  {
    version: 4,
    legacy: 23,
    name: 'use of accounts, and their end',
    up: ({ engine, text, int }) => [
      // How far an account was exported, and when it was deleted. The row stays, so that the id is never used again.
      ...['exported_seq', 'exported_item_no', 'deleted_at', 'purged_at'].map(
        (column) => `ALTER TABLE accounts ADD COLUMN ${column} ${int}`,
      ),
      // The chain covers the agent by a hash, so that its name can be erased.
      `ALTER TABLE audit ADD COLUMN agent_salt ${text}`,
      `ALTER TABLE audit ADD COLUMN agent_hash ${text}`,
      // By kind: the whole account, agents, paths, minutes of the day, and latencies.
      `CREATE TABLE usage_days (
        account_id ${text} NOT NULL,
        kind ${text} NOT NULL,
        day ${text} NOT NULL,
        name ${text} NOT NULL,
        requests ${int} NOT NULL,
        reads ${int} NOT NULL,
        writes ${int} NOT NULL,
        ops ${int} NOT NULL,
        errors ${int} NOT NULL,
        peak ${int} NOT NULL,
        PRIMARY KEY (account_id, kind, day, name)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
  {
    version: 5,
    name: 'consumers of the log, maintenance, servers',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      const claim = `claimed_by ${text} NOT NULL DEFAULT '', claimed_until ${int} NOT NULL DEFAULT 0`;
      const failures = `attempts ${int} NOT NULL DEFAULT 0, last_error ${text} NOT NULL DEFAULT ''`;
      return [
        // One row for each consumer ever installed, with the results of the last walk over all accounts.
        `CREATE TABLE consumers (
          consumer ${text} PRIMARY KEY,
          installed_at ${int} NOT NULL,
          lag ${int} NOT NULL DEFAULT 0,
          accounts_behind ${int} NOT NULL DEFAULT 0,
          dead_letters ${int} NOT NULL DEFAULT 0,
          measured_at ${int} NOT NULL DEFAULT 0
        ) ${clustered}`,
        // Everything up to `seq` is handled. An account without a row is at 0.
        `CREATE TABLE consumer_cursors (
          account_id ${text} NOT NULL,
          consumer ${text} NOT NULL,
          seq ${int} NOT NULL,
          ${claim},
          ${failures},
          retry_at ${int} NOT NULL DEFAULT 0,
          PRIMARY KEY (account_id, consumer)
        ) ${clustered}`,
        `CREATE TABLE consumer_dead_letters (
          account_id ${text} NOT NULL,
          consumer ${text} NOT NULL,
          seq ${int} NOT NULL,
          attempts ${int} NOT NULL,
          error ${text} NOT NULL,
          failed_at ${int} NOT NULL,
          retry ${int} NOT NULL DEFAULT 0,
          PRIMARY KEY (account_id, consumer, seq)
        ) ${clustered}`,
        `CREATE TABLE maintenance_tasks (
          task ${text} PRIMARY KEY,
          next_run_at ${int} NOT NULL,
          started_at ${int} NOT NULL DEFAULT 0,
          finished_at ${int} NOT NULL DEFAULT 0,
          ${claim},
          ${failures}
        ) ${clustered}`,
        // Servers that have not shut down cleanly yet.
        `CREATE TABLE servers (server_id ${text} PRIMARY KEY, seen_at ${int} NOT NULL) ${clustered}`,
      ];
    },
  },
  {
    version: 6,
    name: 'names in stored answers',
    up: ({ engine, text, int }) => [
      // 0 for answers of earlier versions of the service: nothing is known of what they name.
      `ALTER TABLE stored_answers ADD COLUMN is_named ${int} NOT NULL DEFAULT 0`,
      // Whose answer it is; NULL for answers of earlier versions, which went by the scope of a key alone.
      `ALTER TABLE stored_answers ADD COLUMN holder ${text}`,
      'CREATE INDEX stored_answers_unnamed ON stored_answers (account_id) WHERE is_named = 0',
      `CREATE TABLE answer_names (
        account_id ${text} NOT NULL,
        name_hash ${text} NOT NULL,
        idempotency_key ${text} NOT NULL,
        created_at ${int} NOT NULL,
        PRIMARY KEY (account_id, name_hash, idempotency_key)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX answer_names_by_time ON answer_names (created_at)',
    ],
  },
  {
    version: 7,
    name: 'stamps of events',
    up: ({ int }) => [
      // Random: where a log was set back, another event gets the same `seq`. 0 for events of earlier versions.
      `ALTER TABLE events ADD COLUMN stamp ${int} NOT NULL DEFAULT 0`,
      // That of the newest event.
      `ALTER TABLE accounts ADD COLUMN seq_stamp ${int} NOT NULL DEFAULT 0`,
    ],
  },
  {
    version: 8,
    name: 'events of digests by path',
    // They name the path of entries, and are redacted when those are erased.
    up: () => [
      `CREATE INDEX events_of_digests ON events (account_id, entity_path) WHERE event_type = 'brief_compiled'`,
    ],
  },
  {
    version: 9,
    name: 'events of deliveries by entry',
    // They name the entry that a delivery made, and are redacted when it is erased.
    up: () => [
      `CREATE INDEX events_of_deliveries ON events (account_id, entity_path, key)
        WHERE event_type IN ('webhook_ingested', 'dead_letter_replayed')`,
    ],
  },
  {
    version: 10,
    name: 'the newest fork of an account',
    up: ({ int }) => [`ALTER TABLE accounts ADD COLUMN forked_seq ${int} NOT NULL DEFAULT 0`],
  },
  {
    version: 11,
    name: 'protection of main',
    up: ({ int }) => [`ALTER TABLE accounts ADD COLUMN main_protected ${int} NOT NULL DEFAULT 0`],
  },
  {
    version: 12,
    name: 'events of reads by entry',
    up: () => [
      'DROP INDEX events_of_reads',
      `CREATE INDEX events_of_reads ON events (account_id, entity_path, key, seq) WHERE event_type = 'cross_agent_read'`,
    ],
  },
];
