import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'quarantines',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE quarantines (
          account_id ${text} NOT NULL,
          quarantine_id ${text} NOT NULL,
          reason ${text} NOT NULL,
          entry_count ${int} NOT NULL,
          hidden_count ${int} NOT NULL,
          decision_count ${int} NOT NULL,
          is_complete ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          created_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          undone_seq ${int},
          undone_by ${text},
          undone_at ${int},
          PRIMARY KEY (account_id, quarantine_id)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX quarantines_by_seq ON quarantines (account_id, created_seq)',
        // The entries as they were then; `seq` and `released_seq` are those of the events about them.
        `CREATE TABLE quarantined_entries (
          account_id ${text} NOT NULL,
          quarantine_id ${text} NOT NULL,
          no ${int} NOT NULL,
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          depth ${int} NOT NULL,
          seq ${int} NOT NULL,
          released_seq ${int},
          PRIMARY KEY (account_id, quarantine_id, no)
        ) ${clustered}`,
        'CREATE INDEX quarantined_entries_by_entry ON quarantined_entries (account_id, entry_id)',
      ];
    },
  },
  {
    version: 2,
    name: 'the last quarantine or release of a branch',
    up: ({ engine, text, int }) => [
      `CREATE TABLE quarantined_branches (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        seq ${int} NOT NULL,
        PRIMARY KEY (account_id, branch)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
];
