import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'fixes of memory',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE fixes (
          account_id ${text} NOT NULL,
          fix_id ${text} NOT NULL,
          source_kind ${text} NOT NULL,
          source_id ${text} NOT NULL,
          source_seq ${int} NOT NULL,
          source_version ${int} NOT NULL,
          judge_id ${text},
          of_agent ${text} NOT NULL,
          branch ${text} NOT NULL,
          status ${text} NOT NULL,
          policy ${text} NOT NULL,
          set_id ${text} NOT NULL,
          summary ${text} NOT NULL,
          description ${text} NOT NULL,
          asked ${text} NOT NULL,
          entry_count ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          decided_by ${text},
          decision ${text} NOT NULL,
          decided_seq ${int},
          decided_at ${int},
          merge_id ${text},
          case_run_id ${text},
          seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, fix_id)
        ) ${clustered}`,
        'CREATE INDEX fixes_by_seq ON fixes (account_id, seq)',
        'CREATE INDEX fixes_by_status ON fixes (account_id, status, seq)',
        'CREATE UNIQUE INDEX fixes_by_branch ON fixes (account_id, branch)',
        'CREATE INDEX fixes_by_source ON fixes (account_id, source_kind, source_id, source_seq)',
        `CREATE TABLE fixed_entries (
          account_id ${text} NOT NULL,
          fix_id ${text} NOT NULL,
          no ${int} NOT NULL,
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          action ${text} NOT NULL,
          restored_version ${int},
          branch_entry_id ${int} NOT NULL,
          branch_version ${int} NOT NULL,
          reason ${text} NOT NULL,
          runs ${text},
          ledger ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          PRIMARY KEY (account_id, fix_id, no)
        ) ${clustered}`,
      ];
    },
  },
  { version: 2, name: 'fixes of behaviors', up: ({ text }) => [`ALTER TABLE fixes ADD COLUMN behavior_id ${text}`] },
  {
    version: 3,
    name: 'policy of fixes',
    up: ({ engine, text, int }) => [
      `CREATE TABLE fix_settings (
        account_id ${text} NOT NULL,
        name ${text} NOT NULL,
        value ${text} NOT NULL,
        agent_id ${text} NOT NULL,
        updated_at ${int} NOT NULL,
        PRIMARY KEY (account_id, name)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
];
