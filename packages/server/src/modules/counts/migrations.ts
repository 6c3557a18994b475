import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 3,
    name: 'counts',
    up: ({ engine, text, int, real }) => [
      `CREATE TABLE counts (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        kind ${text} NOT NULL,
        visible_to ${text} NOT NULL,
        name ${text} NOT NULL,
        n ${int} NOT NULL,
        confidence_sum ${real} NOT NULL,
        last_at ${int} NOT NULL,
        last_agent ${text} NOT NULL,
        PRIMARY KEY (account_id, branch, kind, visible_to, name)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
];
