import {
  andAll,
  type ErasedAgent,
  type ErasedEntries,
  fragment,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';

async function sumOf(query: Query, columns: readonly string[], from: Sql): Promise<number> {
  const bytes = fragment(columns.map((column) => `octet_length(${column})`).join(' + '));
  const row = await query.get<{ n: number }>(sql`SELECT CAST(coalesce(sum(${bytes}), 0) AS BIGINT) AS n FROM ${from}`);
  return row?.n ?? 0;
}

const reviewsAbout = ({ account_id, paths, keys, names }: ErasedEntries): Sql =>
  sql`pull_request_reviews WHERE account_id = ${account_id} AND entity_path IS NOT NULL${andAll([...paths, ...keys])}
    AND ${names('pull_request_reviews', 'path and key')}`;

export const sumReviewsAbout = (query: Query, erased: ErasedEntries): Promise<number> =>
  sumOf(query, ['comment'], reviewsAbout(erased));

export function deleteReviewsAbout(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE FROM ${reviewsAbout(erased)}`);
}

/** Bytes of what an agent wrote, and of reviews of its private entries. */
export async function sumOfAgent(query: Query, { account_id, agent_id }: ErasedAgent): Promise<number> {
  const opened = sql`pull_requests WHERE account_id = ${account_id} AND created_by = ${agent_id}`;
  const reviewed = sql`pull_request_reviews WHERE account_id = ${account_id}
    AND (reviewer = ${agent_id} OR visible_to = ${agent_id})`;
  const posted = sql`pull_request_checks WHERE account_id = ${account_id} AND posted_by = ${agent_id}`;
  const sums = [
    await sumOf(query, ['title', 'description'], opened),
    await sumOf(query, ['comment'], reviewed),
    await sumOf(query, ['summary'], posted),
  ];
  return sums.reduce((all, one) => all + one, 0);
}
