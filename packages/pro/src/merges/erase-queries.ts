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

async function sumOf(query: Query, column: string, from: Sql): Promise<number> {
  const bytes = fragment(`octet_length(${column})`);
  const row = await query.get<{ n: number }>(sql`SELECT CAST(coalesce(sum(${bytes}), 0) AS BIGINT) AS n FROM ${from}`);
  return row?.n ?? 0;
}

const conflictsAbout = ({ account_id, paths, keys, names }: ErasedEntries): Sql =>
  sql`merge_conflicts WHERE account_id = ${account_id}${andAll([...paths, ...keys])}
    AND ${names('merge_conflicts', 'path and key')}`;

export const sumConflictsAbout = (query: Query, erased: ErasedEntries): Promise<number> =>
  sumOf(query, 'value', conflictsAbout(erased));

export function deleteConflictsAbout(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE FROM ${conflictsAbout(erased)}`);
}

const emptied = ({ account_id, emptiedCommits }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND commit_id IN (${emptiedCommits})`;

export const sumEmptiedMessages = (query: Query, erased: ErasedEntries): Promise<number> =>
  sumOf(query, 'message', sql`merges WHERE ${emptied(erased)}`);

export function emptyMessages(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`UPDATE merges SET message = '' WHERE ${emptied(erased)}`);
}

/** Bytes of the messages of an agent, and of what resolves conflicts about its private entries. */
export async function sumOfAgent(query: Query, { account_id, agent_id }: ErasedAgent): Promise<number> {
  const messages = sql`merges WHERE account_id = ${account_id} AND agent_id = ${agent_id}`;
  const values = sql`merge_conflicts WHERE account_id = ${account_id} AND visible_to = ${agent_id}`;
  return (await sumOf(query, 'message', messages)) + (await sumOf(query, 'value', values));
}
