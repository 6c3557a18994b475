import type { Migration } from '../../db/index.ts';
import { evidenceRankSql } from './evidence-sql.ts';

export const MOVED = ['standing', 'standing_no', 'recall_count', 'line_seq', 'line_no'];

/** On SQLite the columns that were moved are still there, under a name that no older program knows. */
export const unusedName = (column: string): string => `unused_${column}`;

/**
 * Room on each page for new states of its rows, so that an update touches no index and little is written; dead states are
 * swept while they are few. No updated column may get an index.
 */
const ROOM_FOR_UPDATES = `ALTER TABLE standings SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`;

/**
 * SQLite would write the whole table again to drop a column, once for each: they stay. Standings name agents, which must be
 * gone when they are erased.
 */
const EMPTY_STANDINGS = 'UPDATE entries SET standing = NULL WHERE standing IS NOT NULL';

/**
 * Figures for the planner of PostgreSQL until it counts by itself: without any it takes an account for less than a row, and reads all
 * entries of one to find a name. They are those of 200 accounts on one branch: more than the list of common values has room for, so that
 * no account counts as unknown.
 */
const FIRST_FIGURES = `DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM entries) THEN RETURN; END IF;
  INSERT INTO entries (account_id, entry_id, version, seq, deleted, shared, agent_id, written_at, confidence, content_hash,
      integrity_chain, document, branch, entity_path, key, memory_type, is_artifact, pattern_refs)
    SELECT 'account ' || n / 8, n, 1, n, 0, 1, 'agent ' || n % 200, n, 0.5, n, n, '{}', 'main', 'path/' || n % 400, n, 'fact', 0, '[]'
    FROM generate_series(0, 1599) AS n;
  ANALYZE entries;
  TRUNCATE entries;
END $$`;

/** Of a table that has a confidence beside each standing. */
const STORED_STANDING = { standing: 'standing', confidence: 'confidence' };

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 2,
    name: 'entries and versions',
    up: ({ text, int, real }) => {
      const common = `
          account_id ${text} NOT NULL,
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          seq ${int} NOT NULL,
          deleted ${int} NOT NULL,
          shared ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          written_at ${int} NOT NULL,
          ttl_at ${int},
          confidence ${real} NOT NULL,
          content_hash ${text} NOT NULL,
          integrity_chain ${text} NOT NULL,
          document ${text} NOT NULL`;
      return [
        `CREATE TABLE entries (${common},
          branch ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          memory_type ${text} NOT NULL,
          is_artifact ${int} NOT NULL,
          pattern_refs ${text} NOT NULL,
          standing ${text},
          standing_no ${int} NOT NULL DEFAULT 0,
          PRIMARY KEY (account_id, branch, entity_path, key)
        )`,
        // By `seq`, because versions that are written together are then stored together: a write dirties few pages.
        'CREATE UNIQUE INDEX entries_by_seq ON entries (account_id, branch, seq)',
        'CREATE INDEX entries_by_agent ON entries (account_id, branch, agent_id, seq)',
        'CREATE INDEX entries_by_ttl ON entries (ttl_at) WHERE ttl_at IS NOT NULL',
        `CREATE TABLE versions (${common},
          commit_id ${text},
          PRIMARY KEY (account_id, entry_id, version)
        )`,
        'CREATE INDEX versions_by_commit ON versions (account_id, commit_id) WHERE commit_id IS NOT NULL',
      ];
    },
  },
  {
    version: 2,
    legacy: 7,
    name: 'recalls of entries',
    up: ({ int }) => [`ALTER TABLE entries ADD COLUMN recall_count ${int} NOT NULL DEFAULT 0`],
  },
  {
    version: 3,
    name: 'standings and recalls in rows of their own',
    up: ({ engine, text, int, real }) => [
      `CREATE TABLE standings (
        account_id ${text} NOT NULL,
        entry_id ${int} NOT NULL,
        confidence ${real},
        standing ${text},
        standing_no ${int} NOT NULL DEFAULT 0,
        recall_count ${int} NOT NULL DEFAULT 0,
        line_seq ${int},
        line_no ${int},
        PRIMARY KEY (account_id, entry_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      ...(engine === 'postgres' ? [ROOM_FOR_UPDATES] : []),
      `INSERT INTO standings (account_id, entry_id, confidence, standing, standing_no, recall_count, line_seq, line_no)
        SELECT account_id, entry_id, CASE WHEN standing IS NULL THEN NULL ELSE confidence END, standing, standing_no,
          recall_count, line_seq, line_no FROM entries
        WHERE standing IS NOT NULL OR recall_count > 0 OR line_seq IS NOT NULL ORDER BY account_id, entry_id`,
      ...(engine === 'sqlite' ? [EMPTY_STANDINGS] : MOVED.map((name) => `ALTER TABLE entries DROP COLUMN ${name}`)),
    ],
  },
  {
    version: 4,
    name: 'numbers of entries are unique',
    // An equality on all columns of a unique index is the one estimate that PostgreSQL needs no statistics for.
    up: ({ engine }) =>
      engine === 'sqlite'
        ? []
        : ['DROP INDEX entries_by_id', 'CREATE UNIQUE INDEX entries_by_id ON entries (account_id, entry_id)'],
  },
  {
    version: 5,
    name: 'moved columns are out of reach',
    // A process of an older version that still runs must fail: it would write standings where nobody reads them.
    up: ({ engine }) =>
      engine === 'sqlite'
        ? MOVED.map((name) => `ALTER TABLE entries RENAME COLUMN ${name} TO ${unusedName(name)}`)
        : [],
  },
  {
    version: 6,
    name: 'first figures for the planner',
    up: ({ engine }) => (engine === 'sqlite' ? [] : [FIRST_FIGURES]),
  },
  {
    version: 7,
    name: 'entries as branches and tags see them',
    up: ({ engine, text, int, real }) => [
      `CREATE TABLE kept_entries (
        account_id ${text} NOT NULL,
        entry_id ${int} NOT NULL,
        until_seq ${int} NOT NULL,
        since_seq ${int} NOT NULL,
        branch ${text} NOT NULL,
        entity_path ${text} NOT NULL,
        key ${text} NOT NULL,
        version ${int} NOT NULL,
        seq ${int} NOT NULL,
        deleted ${int} NOT NULL,
        shared ${int} NOT NULL,
        agent_id ${text} NOT NULL,
        written_at ${int} NOT NULL,
        ttl_at ${int},
        memory_type ${text} NOT NULL,
        is_artifact ${int} NOT NULL,
        pattern_refs ${text} NOT NULL,
        confidence ${real} NOT NULL,
        standing ${text},
        standing_no ${int} NOT NULL,
        line_seq ${int},
        line_no ${int},
        PRIMARY KEY (account_id, entry_id, until_seq)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE UNIQUE INDEX kept_entries_by_name ON kept_entries (account_id, branch, entity_path, key, until_seq)',
      'CREATE UNIQUE INDEX kept_entries_by_seq ON kept_entries (account_id, branch, seq, until_seq)',
    ],
  },
  {
    version: 8,
    name: 'evidence of entries by its rank',
    // A rank rarely changes: updates that leave it as it is touch no index.
    up: ({ engine, int }) => [
      `ALTER TABLE standings ADD COLUMN evidence_rank ${int}`,
      `UPDATE standings SET evidence_rank = ${evidenceRankSql(engine, STORED_STANDING)} WHERE standing IS NOT NULL`,
      `CREATE INDEX standings_by_evidence ON standings (account_id, evidence_rank, entry_id)
        WHERE evidence_rank IS NOT NULL`,
    ],
  },
];
