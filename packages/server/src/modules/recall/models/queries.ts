import { andAll, type Insert, type Query, sql, type Transaction } from '../../../db/index.ts';

export type ModelRow = {
  embedder: number;
  model: string;
  /** What its vectors are cut to; 0 where they are as the model makes them. */
  cut_to: number;
  /** 0 while no vector is known. */
  dimensions: number;
  /** When it first had the vectors of all entries; 0 before. */
  caught_up_at: number;
  used_at: number;
};

/** Once a model has caught up, it stays so: what is newer is compared by the built-in embedder until it has that too. */
export const keepModel: Insert = {
  table: 'vector_models',
  columns: {
    account_id: 'text',
    embedder: 'int',
    model: 'text',
    cut_to: 'int',
    dimensions: 'int',
    caught_up_at: 'int',
    used_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, embedder) DO UPDATE SET used_at = excluded.used_at,
    dimensions = CASE WHEN excluded.dimensions > 0 THEN excluded.dimensions ELSE vector_models.dimensions END,
    caught_up_at = CASE WHEN vector_models.caught_up_at > 0 THEN vector_models.caught_up_at ELSE excluded.caught_up_at END`,
};

/** The models that have vectors in an account, the last used first. */
export function listModels(query: Query, accountId: string): Promise<ModelRow[]> {
  return query.all<ModelRow>(
    sql`SELECT embedder, model, cut_to, dimensions, caught_up_at, used_at FROM vector_models
        WHERE account_id = ${accountId} ORDER BY used_at DESC, embedder`,
  );
}

export type UnusedModel = { account_id: string; embedder: number; model: string; cut_to: number };

/** Models that were not used since a time and, where there is another one now, are replaced by it in the account. */
export function listUnused(
  query: Query,
  { current, before, limit }: { current: number | undefined; before: number; limit: number },
): Promise<UnusedModel[]> {
  const replaced =
    current === undefined
      ? []
      : [
          sql`(embedder < ${current} OR embedder > ${current})`,
          sql`EXISTS (SELECT 1 FROM vector_models AS present WHERE present.account_id = vector_models.account_id
            AND present.embedder = ${current} AND present.caught_up_at > 0)`,
        ];
  return query.all<UnusedModel>(
    sql`SELECT account_id, embedder, model, cut_to FROM vector_models
        WHERE used_at < ${before}${andAll(replaced)} LIMIT ${limit}`,
  );
}

type ModelKey = { account_id: string; embedder: number };

/** Takes a model out of service before its vectors go. Returns 0 where it was used since. */
export function retireModel(tx: Transaction, { account_id, embedder }: ModelKey, before: number): Promise<number> {
  return tx.run(
    sql`UPDATE vector_models SET caught_up_at = 0 WHERE account_id = ${account_id} AND embedder = ${embedder}
          AND used_at < ${before}`,
  );
}

export function deleteModel(tx: Transaction, { account_id, embedder }: ModelKey): Promise<number> {
  return tx.run(sql`DELETE FROM vector_models WHERE account_id = ${account_id} AND embedder = ${embedder}`);
}

/** The last of the next entries that have a vector of an embedder; undefined where none is left. */
export async function lastOfNext(
  query: Query,
  { account_id, embedder }: ModelKey,
  { after, count }: { after: number; count: number },
): Promise<number | undefined> {
  const row = await query.get<{ last: number | null }>(
    sql`SELECT max(entry_id) AS last FROM (SELECT entry_id FROM entry_vectors WHERE account_id = ${account_id}
          AND entry_id > ${after} AND embedder = ${embedder} ORDER BY entry_id LIMIT ${count}) AS next`,
  );
  return row?.last ?? undefined;
}

/** Removes blocks and sums of an embedder, a few at a time. Returns how many blocks. */
export async function deleteBlocks(tx: Transaction, { account_id, embedder }: ModelKey, most: number): Promise<number> {
  await tx.run(sql`DELETE FROM vector_sums WHERE account_id = ${account_id} AND embedder = ${embedder}`);
  return tx.run(
    sql`DELETE FROM vector_blocks WHERE account_id = ${account_id} AND (branch, embedder, owner, cluster, block) IN
          (SELECT branch, embedder, owner, cluster, block FROM vector_blocks
            WHERE account_id = ${account_id} AND embedder = ${embedder} LIMIT ${most})`,
  );
}

export function deleteVectorsBetween(
  tx: Transaction,
  { account_id, embedder }: ModelKey,
  { after, up_to }: { after: number; up_to: number },
): Promise<number> {
  return tx.run(
    sql`DELETE FROM entry_vectors WHERE account_id = ${account_id} AND entry_id > ${after} AND entry_id <= ${up_to}
          AND embedder = ${embedder}`,
  );
}
