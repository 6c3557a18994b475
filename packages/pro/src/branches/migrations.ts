import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'branches',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE branches (
          account_id ${text} NOT NULL,
          name ${text} NOT NULL,
          parent ${text} NOT NULL,
          fork_seq ${int} NOT NULL,
          inherits ${text} NOT NULL,
          status ${text} NOT NULL,
          is_protected ${int} NOT NULL,
          description ${text} NOT NULL,
          created_by ${text} NOT NULL,
          holder ${text},
          created_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          merged_by ${text},
          merged_at ${int},
          closed_by ${text},
          closed_at ${int},
          PRIMARY KEY (account_id, name)
        ) ${clustered}`,
        'CREATE INDEX branches_by_creation ON branches (account_id, created_seq)',
        'CREATE INDEX branches_by_status ON branches (account_id, status, created_seq)',
        'CREATE INDEX branches_by_parent ON branches (account_id, parent, status)',
        'CREATE INDEX branches_by_holder ON branches (account_id, holder) WHERE holder IS NOT NULL',
        `CREATE TABLE branch_forks (
          account_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          since_seq ${int} NOT NULL,
          parent ${text} NOT NULL,
          fork_seq ${int} NOT NULL,
          is_kept ${int} NOT NULL,
          inherits ${text} NOT NULL,
          PRIMARY KEY (account_id, branch, since_seq)
        ) ${clustered}`,
        `CREATE TABLE branch_protections (
          account_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          required_approvals ${int} NOT NULL,
          dismisses_approvals ${int} NOT NULL,
          required_checks ${text} NOT NULL,
          set_by ${text} NOT NULL,
          set_at ${int} NOT NULL,
          PRIMARY KEY (account_id, branch)
        ) ${clustered}`,
      ];
    },
  },
];
