import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'grants of branches',
    up: ({ engine, text, int }) => [
      `CREATE TABLE branch_grants (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        grantee_type ${text} NOT NULL,
        grantee_id ${text} NOT NULL,
        permission ${text} NOT NULL,
        granted_by ${text} NOT NULL,
        granted_at ${int} NOT NULL,
        PRIMARY KEY (account_id, branch, grantee_type, grantee_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX branch_grants_by_grantee ON branch_grants (account_id, grantee_type, grantee_id)',
    ],
  },
];
