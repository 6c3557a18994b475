import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 2,
    name: 'entries and versions',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      const content = `
          version ${int} NOT NULL,
          seq ${int} NOT NULL,
          deleted ${int} NOT NULL,
          value ${text} NOT NULL,
          memory_type ${text} NOT NULL,
          confidence ${real} NOT NULL,
          shared ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          session_id ${text},
          written_at ${int} NOT NULL,
          ttl_at ${int},
          pattern_refs ${text} NOT NULL,
          artifact_refs ${text} NOT NULL,
          is_artifact ${int} NOT NULL,
          content_hash ${text} NOT NULL,
          integrity_chain ${text} NOT NULL,
          commit_id ${text}`;
      const address = `
          account_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL`;
      return [
        `CREATE TABLE entries (${address},${content},
          prior_confidence ${real},
          outcome_count ${int} NOT NULL DEFAULT 0,
          success_count ${int} NOT NULL DEFAULT 0,
          failure_count ${int} NOT NULL DEFAULT 0,
          evidence_success ${real} NOT NULL DEFAULT 0,
          evidence_failure ${real} NOT NULL DEFAULT 0,
          last_outcome ${text},
          last_outcome_at ${int},
          discredited_at ${int},
          validators ${text} NOT NULL DEFAULT '[]',
          recall_count ${int} NOT NULL DEFAULT 0,
          tier ${int} NOT NULL DEFAULT 3,
          priority_score ${real},
          importance_score ${real},
          importance_dimensions ${text},
          PRIMARY KEY (account_id, branch, entity_path, key)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX entries_by_seq ON entries (account_id, seq)',
        'CREATE INDEX entries_by_agent ON entries (account_id, branch, agent_id, entity_path, key)',
        'CREATE INDEX entries_by_ttl ON entries (ttl_at) WHERE ttl_at IS NOT NULL',
        `CREATE TABLE versions (${address},${content},
          PRIMARY KEY (account_id, branch, entity_path, key, version)
        ) ${clustered}`,
        'CREATE INDEX versions_by_commit ON versions (account_id, commit_id) WHERE commit_id IS NOT NULL',
      ];
    },
  },
];
