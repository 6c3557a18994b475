import type { Migration } from '../../db/index.ts';
import { deleteLedgerEdges } from './migrations/earlier-edges.ts';
import { chainLines } from './migrations/earlier-lines.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 9,
    name: 'outcomes and evidence',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE outcomes (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          outcome_id ${text} NOT NULL,
          outcome_ref ${text} NOT NULL,
          outcome_type ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          session ${text} NOT NULL,
          branch ${text} NOT NULL,
          causal_confidence ${real} NOT NULL,
          is_evidence ${int} NOT NULL,
          trace_id ${text},
          visible_to ${text} NOT NULL,
          committed_at ${int} NOT NULL,
          document ${text} NOT NULL,
          PRIMARY KEY (account_id, seq)
        ) ${clustered}`,
        'CREATE INDEX outcomes_by_ref ON outcomes (account_id, outcome_ref, seq)',
        'CREATE INDEX outcomes_by_agent ON outcomes (account_id, agent_id, seq)',
        // The ledger: what each outcome changed in each entry. Every standing can be recomputed from it.
        `CREATE TABLE evidence (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          no ${int} NOT NULL,
          entry_id ${int},
          branch ${text} NOT NULL,
          entity_path ${text},
          key ${text},
          visible_to ${text} NOT NULL,
          version ${int},
          read_version ${int},
          written_by ${text},
          agent_id ${text} NOT NULL,
          attempt ${int},
          outcome_type ${text} NOT NULL,
          success ${int} NOT NULL,
          model ${text} NOT NULL,
          causal_confidence ${real} NOT NULL,
          n_causal ${int} NOT NULL,
          applied ${int} NOT NULL,
          reason ${text},
          surprise ${real},
          weight ${real},
          confidence_before ${real},
          confidence_after ${real},
          evidence_success ${real},
          evidence_failure ${real},
          evidence_status ${text},
          at ${int} NOT NULL,
          PRIMARY KEY (account_id, seq, no)
        ) ${clustered}`,
        'CREATE INDEX evidence_by_entry ON evidence (account_id, entry_id, seq, no) WHERE entry_id IS NOT NULL',
        'CREATE INDEX evidence_by_path ON evidence (account_id, entity_path, seq) WHERE entity_path IS NOT NULL',
        'CREATE INDEX evidence_by_author ON evidence (account_id, written_by, seq) WHERE written_by IS NOT NULL',
      ];
    },
  },
  {
    version: 2,
    legacy: 13,
    name: 'what the planner of SQLite should know',
    up: ({ engine }) =>
      engine === 'sqlite'
        ? [
            // Without statistics SQLite considers a table ordered by its key cheap to scan, and scans a whole account where
            // an index finds the few rows of an agent.
            'ANALYZE sqlite_schema',
            `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
              ('events', 'events', '1000000 1000000 1'),
              ('events', 'events_by_agent', '1000000 1000000 1000 1'),
              ('events', 'events_by_session', '500000 500000 1000 20 1'),
              ('events', 'events_of_reads', '100000 100000 20'),
              ('outcomes', 'outcomes', '100000 100000 1'),
              ('outcomes', 'outcomes_by_ref', '100000 100000 2 1'),
              ('outcomes', 'outcomes_by_agent', '100000 100000 500 1')`,
            // This connection reads the statistics now, the others when they notice that the schema has changed.
            'ANALYZE sqlite_schema',
            'DROP INDEX outcomes_by_agent',
            'CREATE INDEX outcomes_by_agent ON outcomes (account_id, agent_id, seq)',
          ]
        : [],
  },
  {
    version: 3,
    legacy: 15,
    name: 'the ledger tells it once',
    up: ({ engine, int }) => [
      // Lines are found by the number of their entry; names that match no entry have no number.
      'DROP INDEX evidence_by_path',
      `CREATE INDEX evidence_by_name ON evidence (account_id, entity_path, seq)
        WHERE entity_path IS NOT NULL AND entry_id IS NULL`,
      // Parts of a trace that are also in the ledger are found through its lines.
      `ALTER TABLE trace_items ADD COLUMN in_ledger ${int} NOT NULL DEFAULT 0`,
      'DROP INDEX trace_items_by_path',
      `CREATE INDEX trace_items_by_path ON trace_items (account_id, entity_path, seq)
        WHERE entity_path IS NOT NULL AND in_ledger = 0`,
      ...deleteLedgerEdges,
      ...(engine === 'sqlite'
        ? [
            `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
              ('evidence', 'evidence', '1000000 1000000 10 1'),
              ('evidence', 'evidence_by_entry', '1000000 1000000 20 2 1'),
              ('evidence', 'evidence_by_author', '1000000 1000000 5000 10'),
              ('evidence', 'evidence_by_name', '10000 10000 10 1'),
              ('trace_items', 'trace_items', '1000000 1000000 10 1'),
              ('trace_items', 'trace_items_by_path', '100000 100000 100 10')`,
            'ANALYZE sqlite_schema',
          ]
        : []),
    ],
  },
  {
    version: 4,
    legacy: 26,
    name: 'the lines of an entry as a chain',
    up: ({ engine, int }) => [
      // The newest line about an entry is stored in its row, which an outcome changes anyway, and each line refers to the
      // one before it: an index of lines by entry would dirty another page for each of them.
      `ALTER TABLE entries ADD COLUMN line_seq ${int}`,
      `ALTER TABLE entries ADD COLUMN line_no ${int}`,
      `ALTER TABLE evidence ADD COLUMN before_seq ${int}`,
      `ALTER TABLE evidence ADD COLUMN before_no ${int}`,
      ...chainLines,
      'DROP INDEX evidence_by_entry',
      ...(engine === 'sqlite'
        ? [`DELETE FROM sqlite_stat1 WHERE idx = 'evidence_by_entry'`, 'ANALYZE sqlite_schema']
        : []),
    ],
  },
  {
    version: 5,
    name: 'stale reads',
    up: ({ engine, text, int }) => [
      `CREATE TABLE stale_reads (
        account_id ${text} NOT NULL,
        seq ${int} NOT NULL,
        no ${int} NOT NULL,
        agent_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        read_branch ${text} NOT NULL,
        entity_path ${text} NOT NULL,
        key ${text} NOT NULL,
        read_version ${int} NOT NULL,
        current_version ${int},
        changed_by ${text},
        value_changed ${int} NOT NULL,
        visible_to ${text} NOT NULL,
        PRIMARY KEY (account_id, seq, no)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      // For erasure.
      'CREATE INDEX stale_reads_by_path ON stale_reads (account_id, entity_path, key)',
    ],
  },
];
