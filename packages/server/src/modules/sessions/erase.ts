import type { Query } from '../../db/index.ts';
import type { Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** Forgets that open sessions read entries or asked for paths that are to go. */
export async function forgetReads(work: Work, target: queries.Erased, entryIds: readonly number[]): Promise<number> {
  const ids = work.dialect.texts(entryIds.map(String));
  const reads = await queries.deleteReadsOf(work.tx, work.account_id, ids);
  return reads + (await queries.deleteItemsAt(work.tx, target));
}

export async function countReadsOf(work: Work, target: queries.Erased, entryIds: readonly number[]): Promise<number> {
  const ids = work.dialect.texts(entryIds.map(String));
  const query: Query = work.tx;
  return (await queries.countReads(query, work.account_id, ids)) + (await queries.countItemsAt(query, target));
}
