import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';

export type TagRow = {
  account_id: string;
  name: string;
  description: string;
  /** The branch and the `seq` that the tag names. */
  branch: string;
  seq: number;
  /** 1: the state there is kept. */
  is_kept: number;
  agent_id: string;
  /** The `seq` of the event that created it. */
  created_seq: number;
  created_at: number;
};

export const insertTag: Insert = {
  table: 'tags',
  columns: {
    account_id: 'text',
    name: 'text',
    description: 'text',
    branch: 'text',
    seq: 'int',
    is_kept: 'int',
    agent_id: 'text',
    created_seq: 'int',
    created_at: 'int',
  },
};

const TAG = fragment(Object.keys(insertTag.columns).join(', '));

export function getTag(query: Query, accountId: string, name: string): Promise<TagRow | undefined> {
  return query.get(sql`SELECT ${TAG} FROM tags WHERE account_id = ${accountId} AND name = ${name}`);
}

export function deleteTag(tx: Transaction, accountId: string, name: string): Promise<number> {
  return tx.run(sql`DELETE FROM tags WHERE account_id = ${accountId} AND name = ${name}`);
}

export type TagPage = {
  account_id: string;
  name: string | undefined;
  before: number;
  filters: readonly Sql[];
  limit: number;
  bytes: number;
};

export function listTags(query: Query, page: TagPage): Promise<FirstRows<TagRow>> {
  const { account_id, name, before, filters, limit, bytes } = page;
  const named = name === undefined ? [] : [sql`name = ${name}`];
  return query.first(
    sql`SELECT ${TAG} FROM tags WHERE account_id = ${account_id} AND created_seq < ${before}${andAll([...named, ...filters])}
        ORDER BY created_seq DESC LIMIT ${limit}`,
    { columns: ['name', 'description', 'agent_id'], bytes },
  );
}

/** The bytes of the descriptions that an agent wrote. */
export async function sumDescriptions(query: Query, accountId: string, agentId: string): Promise<number> {
  const found = await query.get<{ bytes: number }>(
    sql`SELECT CAST(coalesce(sum(${fragment('octet_length(description)')}), 0) AS BIGINT) AS bytes FROM tags
        WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
  return found?.bytes ?? 0;
}

/** Whether an account has at least this many. */
export async function hasTags(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT name FROM tags WHERE account_id = ${accountId} ORDER BY name LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}
