import type { Ddl } from '../../../db/index.ts';
import { countColumns } from '../../../kernel/index.ts';

const sumOf = (table: string, column: string): string =>
  `(SELECT coalesce(sum(octet_length(t.${column})), 0)
    FROM ${table} AS t WHERE t.account_id = accounts.account_id)`;

/** Counts what each account holds, over the tables of all modules, and keeps it in the row of the account. */
export const countStored = ({ int }: Ddl): readonly string[] => [
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
];

const PROFILE =
  'agent_id description platform default_branch auto_context_paths tags session_metadata capabilities contracts';

/** The same as `textsOfEdge`. */
const MADE_BY_ENTRIES = `(t.relation || ' ' || t.source_type || ' ' || t.target_type) IN
  ('wrote agent entry', 'read agent entry', 'references entry pattern', 'learned_from agent agent')
  AND octet_length(t.source) <= 256 AND octet_length(t.target) <= 256`;

/** Adds what was not counted before. */
export const countDeclared = (): readonly string[] => [
  countColumns('agent_profiles', PROFILE.split(' ')),
  countColumns('edges', ['source', 'relation', 'target'], `NOT (${MADE_BY_ENTRIES})`),
];

export const countLetters = (): readonly string[] => [countColumns('dead_letters', ['payload', 'headers'])];
