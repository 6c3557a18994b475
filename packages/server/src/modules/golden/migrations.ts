import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'golden queries',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE golden_queries (
          account_id ${text} NOT NULL,
          golden_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          branch ${text} NOT NULL,
          question ${text} NOT NULL,
          asked_with ${text} NOT NULL,
          asked_path ${text},
          below ${int} NOT NULL,
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          times ${int} NOT NULL,
          first_at ${int} NOT NULL,
          last_at ${int} NOT NULL,
          outcome_seq ${int} NOT NULL,
          trace_seq ${int} NOT NULL,
          trace_no ${int} NOT NULL,
          hit_rank ${int},
          stale ${int},
          hits ${int},
          duplicates ${int},
          replayed_at ${int} NOT NULL,
          PRIMARY KEY (account_id, golden_id)
        ) ${clustered}`,
        'CREATE INDEX golden_queries_newest ON golden_queries (account_id, visible_to, outcome_seq)',
        'CREATE INDEX golden_queries_of_entry ON golden_queries (account_id, entry_id)',
        'CREATE INDEX golden_queries_due ON golden_queries (replayed_at)',
        `CREATE TABLE fitted_weights (
          account_id ${text} NOT NULL,
          name ${text} NOT NULL,
          weights ${text},
          fitted_on ${int},
          held_out ${int},
          mrr_default ${real},
          mrr_fitted ${real},
          fitted_at ${int},
          PRIMARY KEY (account_id, name)
        ) ${clustered}`,
      ];
    },
  },
];
