import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 10,
    name: 'agent profiles',
    up: ({ text, int }) => [
      `CREATE TABLE agent_profiles (
        account_id ${text} NOT NULL,
        agent_id ${text} NOT NULL,
        description ${text},
        platform ${text},
        default_branch ${text},
        auto_context_paths ${text} NOT NULL DEFAULT '[]',
        tags ${text} NOT NULL DEFAULT '[]',
        session_metadata ${text} NOT NULL DEFAULT '{}',
        capabilities ${text} NOT NULL DEFAULT '[]',
        contracts ${text} NOT NULL DEFAULT '[]',
        created_at ${int} NOT NULL,
        updated_at ${int} NOT NULL,
        PRIMARY KEY (account_id, agent_id)
      )`,
      // So that a page of agents need not skip those that the caller may not see.
      'CREATE INDEX agents_by_visibility ON agents (account_id, visible_to, agent_id)',
    ],
  },
  {
    version: 2,
    name: 'agents with a default branch',
    up: () => [
      'CREATE INDEX agent_profiles_on_branches ON agent_profiles (account_id) WHERE default_branch IS NOT NULL',
    ],
  },
];
