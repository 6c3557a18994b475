import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'judges',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE judges (
          account_id ${text} NOT NULL,
          judge_id ${text} NOT NULL,
          version ${int} NOT NULL,
          name ${text} NOT NULL,
          description ${text} NOT NULL,
          status ${text} NOT NULL,
          sampling_rate ${real} NOT NULL,
          agent_id ${text} NOT NULL,
          updated_seq ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, judge_id)
        ) ${clustered}`,
        `CREATE TABLE judge_versions (
          account_id ${text} NOT NULL,
          judge_id ${text} NOT NULL,
          version ${int} NOT NULL,
          definition ${text} NOT NULL,
          for_agent ${text},
          for_path ${text},
          agent_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, judge_id, version)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    name: 'weight as evidence',
    up: ({ real }) => [`ALTER TABLE judges ADD COLUMN evidence_weight ${real}`],
  },
];
