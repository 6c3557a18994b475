import type { Migration } from '../../db/index.ts';

const sumOf = (table: string, column: string): string =>
  `(SELECT coalesce(sum(octet_length(t.${column})), 0)
    FROM ${table} AS t WHERE t.account_id = accounts.account_id)`;

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 19,
    name: 'accounts that are managed',
    up: ({ text }) => [
      `ALTER TABLE accounts ADD COLUMN name ${text} NOT NULL DEFAULT ''`,
      `ALTER TABLE accounts ADD COLUMN plan ${text}`,
      `ALTER TABLE accounts ADD COLUMN status ${text} NOT NULL DEFAULT 'active'`,
    ],
  },
  {
    version: 2,
    name: 'what accounts store, and corrections of the clock',
    up: ({ int }) => [
      `CREATE INDEX events_of_clock ON events (account_id, seq) WHERE event_type = 'clock_corrected'`,
      ...['storage_bytes', 'storage_entries', 'open_sessions', 'reader_notes'].map(
        (column) => `ALTER TABLE accounts ADD COLUMN ${column} ${int} NOT NULL DEFAULT 0`,
      ),
      `ALTER TABLE sessions ADD COLUMN bytes ${int} NOT NULL DEFAULT 0`,
      `ALTER TABLE sessions ADD COLUMN recorded ${int} NOT NULL DEFAULT 0`,
      `UPDATE sessions SET recorded = 1 WHERE attributes <> '{}' OR attempt > 0 OR EXISTS (
        SELECT 1 FROM session_items AS i WHERE i.account_id = sessions.account_id AND i.agent_id = sessions.agent_id
          AND i.session = sessions.session AND i.kind NOT IN ('query', 'error'))`,
      // By when they were opened, which never changes: a read then costs no change of this index.
      'CREATE INDEX sessions_of_readers ON sessions (account_id, opened_at) WHERE recorded = 0',
      `UPDATE accounts SET
        storage_bytes = ${sumOf('versions', 'document')} + ${sumOf('trace_items', 'data')}
          + ${sumOf('traces', 'header')},
        storage_entries = (SELECT count(*) FROM entries AS e WHERE e.account_id = accounts.account_id AND e.deleted = 0),
        open_sessions = (SELECT count(*) FROM sessions AS s WHERE s.account_id = accounts.account_id),
        reader_notes = (SELECT coalesce(sum(1 + s.reads + s.items), 0) FROM sessions AS s
          WHERE s.account_id = accounts.account_id AND s.recorded = 0)`,
    ],
  },
];
