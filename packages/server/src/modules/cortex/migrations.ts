import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'digests',
    up: ({ text, int }) => [
      // `parts` has numbers of entries and outcomes only: names and texts are looked up by those who may see them.
      `CREATE TABLE digests (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        digest_type ${text} NOT NULL,
        scope ${text} NOT NULL,
        seq ${int} NOT NULL,
        compiled_at ${int} NOT NULL,
        entry_count ${int} NOT NULL,
        is_shown ${int} NOT NULL,
        parts ${text} NOT NULL,
        PRIMARY KEY (account_id, branch, digest_type, scope)
      )`,
      'CREATE INDEX digests_by_seq ON digests (account_id, seq)',
    ],
  },
];
