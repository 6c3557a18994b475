import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 5,
    name: 'commits',
    up: ({ engine, text, int }) => [
      `CREATE TABLE commits (
        account_id ${text} NOT NULL,
        commit_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        message ${text} NOT NULL,
        agent_id ${text} NOT NULL,
        session_id ${text},
        parent_id ${text},
        tree_hash ${text} NOT NULL,
        entry_count ${int} NOT NULL,
        visible_to ${text} NOT NULL,
        seq ${int} NOT NULL,
        created_at ${int} NOT NULL,
        PRIMARY KEY (account_id, commit_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE UNIQUE INDEX commits_by_seq ON commits (account_id, branch, seq)',
    ],
  },
  {
    version: 2,
    name: 'commits of merges',
    up: ({ text }) => [`ALTER TABLE commits ADD COLUMN merged_parent ${text}`],
  },
];
