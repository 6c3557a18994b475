import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'backfills',
    up: ({ engine, text, int, real }) => [
      `CREATE TABLE backfills (
        account_id ${text} NOT NULL,
        backfill_id ${text} NOT NULL,
        judge_id ${text},
        for_agent ${text},
        from_seq ${int} NOT NULL,
        until_seq ${int} NOT NULL,
        next_seq ${int} NOT NULL,
        sampling_rate ${real} NOT NULL,
        max_traces ${int} NOT NULL,
        status ${text} NOT NULL,
        traces ${int} NOT NULL,
        verdicts ${int} NOT NULL,
        failed ${int} NOT NULL,
        agent_id ${text} NOT NULL,
        created_seq ${int} NOT NULL,
        created_at ${int} NOT NULL,
        ended_at ${int},
        PRIMARY KEY (account_id, backfill_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX backfills_by_seq ON backfills (account_id, created_seq)',
    ],
  },
  {
    version: 2,
    name: 'backfills_of_behaviors',
    up: ({ text }) => [`ALTER TABLE backfills ADD COLUMN behavior_id ${text}`],
  },
  {
    version: 3,
    name: 'backfills_by_models',
    up: ({ text, int }) => [
      `ALTER TABLE backfills ADD COLUMN asks_model ${int} NOT NULL DEFAULT 0`,
      `ALTER TABLE backfills ADD COLUMN reason ${text}`,
    ],
  },
];
