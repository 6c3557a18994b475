import { type Find, type FirstRows, type Insert, type Query, type Row, type Sql, sql } from '../../db/index.ts';
import type { SeenAgent } from '../../kernel/index.ts';

/** A page of described agents, by id; a subquery to combine with others. */
export const describedAgents = (accountId: string, page: { after: string; limit: number }): Sql =>
  sql`SELECT * FROM (SELECT agent_id, created_at AS first_at, CAST(NULL AS BIGINT) AS last_at
        FROM agent_profiles WHERE account_id = ${accountId} AND agent_id > ${page.after}
        ORDER BY agent_id LIMIT ${page.limit}) AS described`;

export function listDescribed(
  query: Query,
  accountId: string,
  page: { after: string; limit: number },
): Promise<SeenAgent[]> {
  return query.all<SeenAgent>(sql`${describedAgents(accountId, page)} ORDER BY agent_id`);
}

/** The contracts that agents have set for their own writes. */
export const findContracts: Find = {
  table: 'agent_profiles',
  select: 'contracts',
  by: { account_id: 'text', agent_id: 'text' },
};

const profileTags: Find = { table: 'agent_profiles', select: 'tags', by: { account_id: 'text', agent_id: 'text' } };

/** The tags of agents, as JSON: one result per agent, in order; undefined where it has no profile. */
export async function findTagsOfAgents(
  query: Query,
  accountId: string,
  agentIds: readonly string[],
): Promise<(string | undefined)[]> {
  const keys = agentIds.map((agentId) => [accountId, agentId]);
  return (await query.findMany<Pick<ProfileRow, 'tags'>>(profileTags, keys)).map((row) => row?.tags);
}

export type ProfileRow = {
  agent_id: string;
  description: string | null;
  platform: string | null;
  default_branch: string | null;
  auto_context_paths: string;
  tags: string;
  session_metadata: string;
  capabilities: string;
  contracts: string;
  created_at: number;
  updated_at: number;
};

export type ListedProfile = Pick<ProfileRow, 'agent_id' | 'description' | 'platform' | 'tags'>;

export function listProfiles(
  query: Query,
  accountId: string,
  page: { after: string; limit: number },
): Promise<ListedProfile[]> {
  return query.all<ListedProfile>(
    sql`SELECT agent_id, description, platform, tags FROM agent_profiles
        WHERE account_id = ${accountId} AND agent_id > ${page.after} ORDER BY agent_id LIMIT ${page.limit}`,
  );
}

export type DeclaredProfile = ListedProfile & Pick<ProfileRow, 'capabilities'>;

/** The profiles with a declaration. */
export function listDeclared(
  query: Query,
  accountId: string,
  page: { after: string; limit: number; bytes: number },
): Promise<FirstRows<DeclaredProfile>> {
  return query.first<DeclaredProfile>(
    sql`SELECT agent_id, description, platform, tags, capabilities FROM agent_profiles
        WHERE account_id = ${accountId} AND agent_id > ${page.after} AND (capabilities <> '[]' OR tags <> '[]')
        ORDER BY agent_id LIMIT ${page.limit}`,
    { columns: ['capabilities', 'description'], bytes: page.bytes },
  );
}

export function getProfile(query: Query, accountId: string, agentId: string): Promise<ProfileRow | undefined> {
  return query.get<ProfileRow>(
    sql`SELECT agent_id, description, platform, default_branch, auto_context_paths, tags, session_metadata, capabilities,
          contracts, created_at, updated_at
        FROM agent_profiles WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
}

/** Whether any agent of the account has a default branch. */
export async function hasDefaultBranches(query: Query, accountId: string): Promise<boolean> {
  const row = await query.get(
    sql`SELECT 1 AS found FROM agent_profiles WHERE account_id = ${accountId} AND default_branch IS NOT NULL LIMIT 1`,
  );
  return row !== undefined;
}

export async function getDefaultBranch(query: Query, accountId: string, agentId: string): Promise<string | undefined> {
  const row = await query.get<Pick<ProfileRow, 'default_branch'>>(
    sql`SELECT default_branch FROM agent_profiles WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
  return row?.default_branch ?? undefined;
}

const DECLARED = [
  'description',
  'platform',
  'default_branch',
  'auto_context_paths',
  'tags',
  'session_metadata',
] as const;

/** The texts of a profile, which count as storage of its account. */
const TEXTS = ['agent_id', ...DECLARED, 'capabilities', 'contracts'] as const satisfies readonly (keyof ProfileRow)[];

export const textsOfProfile = (row: Row): (string | null)[] =>
  TEXTS.map((name) => (row[name] ?? null) as string | null);

/** Sets some columns of a profile; creates it where it is missing. */
function upsertProfile(columns: readonly (keyof ProfileRow)[]): Insert {
  const updates = [...columns, 'updated_at'].map((column) => `${column} = excluded.${column}`);
  return {
    table: 'agent_profiles',
    columns: {
      account_id: 'text',
      agent_id: 'text',
      ...Object.fromEntries(columns.map((column) => [column, 'text' as const])),
      created_at: 'int',
      updated_at: 'int',
    },
    suffix: `ON CONFLICT (account_id, agent_id) DO UPDATE SET ${updates.join(', ')}`,
  };
}

export const setProfile = upsertProfile(DECLARED);
export const setCapabilities = upsertProfile(['capabilities']);
export const setContracts = upsertProfile(['contracts']);
