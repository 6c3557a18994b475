import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'behaviors',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE behaviors (
          account_id ${text} NOT NULL,
          behavior_id ${text} NOT NULL,
          version ${int} NOT NULL,
          name ${text} NOT NULL,
          description ${text} NOT NULL,
          status ${text} NOT NULL,
          matcher ${text} NOT NULL,
          for_agent ${text},
          for_path ${text},
          trace_id ${text},
          trace_agent ${text},
          backfill_id ${text},
          agent_id ${text} NOT NULL,
          created_at ${int} NOT NULL,
          updated_seq ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, behavior_id)
        ) ${clustered}`,
        `CREATE TABLE behavior_looks (
          account_id ${text} NOT NULL,
          behavior_id ${text} NOT NULL,
          behavior_version ${int} NOT NULL,
          trace_seq ${int} NOT NULL,
          trace_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          result ${text} NOT NULL,
          traced_at ${int} NOT NULL,
          seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, behavior_id, behavior_version, trace_seq)
        ) ${clustered}`,
        `CREATE INDEX behavior_looks_by_agent
          ON behavior_looks (account_id, behavior_id, behavior_version, agent_id, trace_seq)`,
        'CREATE INDEX behavior_looks_by_trace ON behavior_looks (account_id, trace_seq)',
        `CREATE INDEX behavior_matches ON behavior_looks (account_id, behavior_id, behavior_version, trace_seq)
          WHERE result = 'match'`,
      ];
    },
  },
  {
    version: 2,
    name: 'behaviors without incidents',
    up: ({ int }) => [`ALTER TABLE behaviors ADD COLUMN opens_incidents ${int} NOT NULL DEFAULT 1`],
  },
];
