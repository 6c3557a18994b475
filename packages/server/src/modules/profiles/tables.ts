import { exported, type TenantTable } from '../../kernel/index.ts';

const documents = ['auto_context_paths', 'tags', 'session_metadata', 'capabilities', 'contracts'] as const;

export const tables: readonly TenantTable[] = [
  exported(
    {
      table: 'agent_profiles',
      columns: {
        account_id: 'text',
        agent_id: 'text',
        description: 'text',
        platform: 'text',
        default_branch: 'text',
        ...(Object.fromEntries(documents.map((name) => [name, 'text'])) as Record<(typeof documents)[number], 'text'>),
        created_at: 'int',
        updated_at: 'int',
      },
    },
    {
      kind: 'agent_profile',
      key: ['agent_id'],
      nullable: ['description', 'platform', 'default_branch'],
      json: documents,
      agents: { agent_id: { erased: 'delete the row', counted_as: 'profiles' } },
      entries: { auto_context_paths: { kept: 'paths to read, whether entries exist there or not' } },
    },
  ),
];
