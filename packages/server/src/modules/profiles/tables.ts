import { operations } from '@mem-service/contract';
import type { Row } from '../../db/index.ts';
import { exported, type TenantTable } from '../../kernel/index.ts';
import { textsOfProfile } from './queries.ts';

const documents = ['auto_context_paths', 'tags', 'session_metadata', 'capabilities', 'contracts'] as const;

const { description, platform, default_branch, auto_context_paths, tags, capabilities, contracts } =
  operations['agents.profile'].output.shape;
const texts = { description, platform, default_branch };
const lists = { auto_context_paths, tags, capabilities, contracts };

/** A profile must be one that `agents.profile` can answer with. */
function profileProblem(row: Row): string | undefined {
  for (const [name, schema] of Object.entries(texts))
    if (!schema.safeParse(row[name]).success) return `${name} is not what a profile may hold`;
  for (const [name, schema] of Object.entries(lists)) {
    const issue = schema.safeParse(JSON.parse(String(row[name]))).error?.issues[0];
    if (issue) return `${[name, ...issue.path].join('.')}: ${issue.message}`;
  }
  return undefined;
}

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
      check: profileProblem,
      stored: textsOfProfile,
      agents: { agent_id: { erased: 'delete the row', counted_as: 'profiles' } },
      entries: { auto_context_paths: { kept: 'paths to read, whether entries exist there or not' } },
    },
  ),
];
