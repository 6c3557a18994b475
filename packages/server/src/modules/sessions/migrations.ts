import type { Ddl, Migration } from '../../db/index.ts';

const STANDING = [
  'outcome_count',
  'success_count',
  'failure_count',
  'evidence_success',
  'evidence_failure',
  'discredited_at',
];

/**
 * A read as a page of its own, in the format of `rules/page.ts`. SQLite by itself would keep only 15 digits of a number.
 */
function pageOfRead({ engine }: Ddl): string {
  const isSqlite = engine === 'sqlite';
  const array = isSqlite ? 'json_array' : 'json_build_array';
  const real = (name: string) => (isSqlite ? `json(printf('%!.17g', ${name}))` : name);
  const member = (name: string) => (isSqlite ? `standing -> '$.${name}'` : `CAST(standing AS json) -> '${name}'`);
  const read = `entry_id, version, read_at, ${real('duration_ms')}, ${real('confidence')}`;
  return `CASE WHEN standing IS NULL THEN ${array}(${array}(${read}))
    ELSE ${array}(${array}(${read}, ${array}(${STANDING.map(member).join(', ')}))) END`;
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 8,
    name: 'sessions',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      const session = `account_id ${text} NOT NULL, agent_id ${text} NOT NULL, session ${text} NOT NULL`;
      return [
        `CREATE TABLE sessions (${session},
          opened_at ${int} NOT NULL,
          last_at ${int} NOT NULL,
          attempt ${int} NOT NULL,
          reads ${int} NOT NULL,
          items ${int} NOT NULL,
          actions ${int} NOT NULL,
          truncated ${int} NOT NULL,
          attributes ${text} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session)
        ) ${clustered}`,
        'CREATE INDEX sessions_by_time ON sessions (last_at)',
        `CREATE TABLE session_reads (${session},
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          attempt ${int} NOT NULL,
          no ${int} NOT NULL,
          branch ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          written_by ${text} NOT NULL,
          confidence ${real} NOT NULL,
          standing ${text},
          read_at ${int} NOT NULL,
          duration_ms ${real} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session, entry_id, version, attempt)
        ) ${clustered}`,
        'CREATE INDEX session_reads_by_entry ON session_reads (account_id, entry_id)',
        `CREATE TABLE session_items (${session},
          no ${int} NOT NULL,
          kind ${text} NOT NULL,
          attempt ${int} NOT NULL,
          at ${int} NOT NULL,
          entity_path ${text},
          data ${text} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session, no)
        ) ${clustered}`,
        'CREATE INDEX session_items_by_path ON session_items (account_id, entity_path) WHERE entity_path IS NOT NULL',
      ];
    },
  },
  {
    version: 2,
    legacy: 14,
    name: 'reads of sessions in pages',
    up: (ddl) => {
      const { text, int } = ddl;
      return [
        `ALTER TABLE sessions ADD COLUMN last_page ${int} NOT NULL DEFAULT 0`,
        'ALTER TABLE session_reads RENAME TO earlier_reads',
        // Not ordered by its key: reads of many sessions at the same moment are then stored together, and few blocks are
        // written.
        `CREATE TABLE session_reads (
          account_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          session ${text} NOT NULL,
          no ${int} NOT NULL,
          attempt ${int} NOT NULL,
          reads ${text} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session, no)
        )`,
        `INSERT INTO session_reads (account_id, agent_id, session, no, attempt, reads)
          SELECT account_id, agent_id, session, no, attempt, CAST(${pageOfRead(ddl)} AS text) FROM earlier_reads`,
        'DROP TABLE earlier_reads',
      ];
    },
  },
  {
    version: 3,
    name: 'branches of sessions',
    up: ({ text }) => [
      `ALTER TABLE sessions ADD COLUMN branch ${text}`,
      `ALTER TABLE session_reads ADD COLUMN branch ${text}`,
    ],
  },
];
