import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 16,
    name: 'lines of imports',
    up: ({ engine, text, int }) => [
      `CREATE TABLE import_lines (
        account_id ${text} NOT NULL,
        no ${int} NOT NULL,
        line ${text} NOT NULL,
        PRIMARY KEY (account_id, no)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
];
