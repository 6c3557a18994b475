import { countColumns, type Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'tags',
    up: ({ engine, text, int }) => [
      `CREATE TABLE tags (
        account_id ${text} NOT NULL,
        name ${text} NOT NULL,
        description ${text} NOT NULL,
        seq ${int} NOT NULL,
        agent_id ${text} NOT NULL,
        created_seq ${int} NOT NULL,
        created_at ${int} NOT NULL,
        PRIMARY KEY (account_id, name)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX tags_by_creation ON tags (account_id, created_seq)',
    ],
  },
  {
    version: 2,
    name: 'tags count as storage',
    up: () => [countColumns('tags', ['name', 'description'])],
  },
  {
    version: 3,
    name: 'tags of branches',
    up: ({ text, int }) => [
      `ALTER TABLE tags ADD COLUMN branch ${text} NOT NULL DEFAULT 'main'`,
      `ALTER TABLE tags ADD COLUMN is_kept ${int} NOT NULL DEFAULT 0`,
    ],
  },
];
