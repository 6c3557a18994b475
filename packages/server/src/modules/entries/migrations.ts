import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 2,
    name: 'entries and versions',
    up: ({ text, int, real }) => {
      const common = `
          account_id ${text} NOT NULL,
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          seq ${int} NOT NULL,
          deleted ${int} NOT NULL,
          shared ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          written_at ${int} NOT NULL,
          ttl_at ${int},
          confidence ${real} NOT NULL,
          content_hash ${text} NOT NULL,
          integrity_chain ${text} NOT NULL,
          document ${text} NOT NULL`;
      return [
        `CREATE TABLE entries (${common},
          branch ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          memory_type ${text} NOT NULL,
          is_artifact ${int} NOT NULL,
          pattern_refs ${text} NOT NULL,
          standing ${text},
          standing_no ${int} NOT NULL DEFAULT 0,
          PRIMARY KEY (account_id, branch, entity_path, key)
        )`,
        // By `seq`, because versions that are written together are then stored together: a write dirties few pages.
        'CREATE UNIQUE INDEX entries_by_seq ON entries (account_id, branch, seq)',
        'CREATE INDEX entries_by_agent ON entries (account_id, branch, agent_id, seq)',
        'CREATE INDEX entries_by_ttl ON entries (ttl_at) WHERE ttl_at IS NOT NULL',
        `CREATE TABLE versions (${common},
          commit_id ${text},
          PRIMARY KEY (account_id, entry_id, version)
        )`,
        'CREATE INDEX versions_by_commit ON versions (account_id, commit_id) WHERE commit_id IS NOT NULL',
      ];
    },
  },
  {
    version: 2,
    legacy: 7,
    name: 'recalls of entries',
    up: ({ int }) => [`ALTER TABLE entries ADD COLUMN recall_count ${int} NOT NULL DEFAULT 0`],
  },
];
