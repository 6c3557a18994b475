import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'consolidation',
    up: ({ engine, text, int, real }) => {
      const byKey = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE consolidation_runs (
          account_id ${text} NOT NULL,
          coverage ${text} NOT NULL,
          run_id ${text} NOT NULL,
          status ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          scope ${text} NOT NULL,
          done_seq ${int} NOT NULL,
          until_seq ${int} NOT NULL,
          stale_seq ${int} NOT NULL,
          stale_until_seq ${int} NOT NULL,
          runs ${int} NOT NULL,
          demoted ${int} NOT NULL,
          run_looked_at ${int} NOT NULL,
          run_demoted ${int} NOT NULL,
          run_proposed ${int} NOT NULL,
          is_full ${int} NOT NULL,
          failures ${int} NOT NULL,
          started_at ${int} NOT NULL,
          finished_at ${int},
          PRIMARY KEY (account_id, coverage)
        ) ${byKey}`,
        `CREATE TABLE consolidation_marks (
          account_id ${text} NOT NULL,
          mark ${int} NOT NULL,
          entry_id ${int} NOT NULL,
          PRIMARY KEY (account_id, mark, entry_id)
        ) ${byKey}`,
        'CREATE INDEX consolidation_marks_by_entry ON consolidation_marks (account_id, entry_id)',
        `CREATE TABLE consolidation_proposals (
          account_id ${text} NOT NULL,
          proposal_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          strategy ${text} NOT NULL,
          status ${text} NOT NULL,
          branch ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          source_count ${int} NOT NULL,
          proposed_value ${text},
          proposed_confidence ${real} NOT NULL,
          rationale ${text} NOT NULL,
          created_at ${int} NOT NULL,
          reviewed_by ${text},
          reviewed_at ${int},
          PRIMARY KEY (account_id, proposal_id)
        ) ${byKey}`,
        'CREATE INDEX consolidation_proposals_by_seq ON consolidation_proposals (account_id, seq)',
        `CREATE TABLE consolidation_sources (
          account_id ${text} NOT NULL,
          proposal_id ${text} NOT NULL,
          no ${int} NOT NULL,
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          content_hash ${text} NOT NULL,
          PRIMARY KEY (account_id, proposal_id, no)
        ) ${byKey}`,
        'CREATE INDEX consolidation_sources_by_entry ON consolidation_sources (account_id, entry_id)',
      ];
    },
  },
  {
    version: 2,
    name: 'proposals by who may see them',
    up: () => [
      'CREATE INDEX consolidation_proposals_by_viewer ON consolidation_proposals (account_id, visible_to, status)',
    ],
  },
];
