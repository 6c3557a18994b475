import type { Glob } from '@mem-service/contract';
import { andAll, emptySql, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import { type EntryView, type Viewer, visibleTo } from '../../kernel/index.ts';
import { linesIn } from './walk-queries.ts';

export type Predicted = { seq: number; confidence_before: number; success: number };

/** A condition: evidence about entries of a view within paths; the entries are found first. */
export const isAboutEntryIn = (view: EntryView, paths: readonly Glob[] | undefined): Sql =>
  sql`entry_id IS NOT NULL AND (seq, no) IN (${linesIn(view, { paths })})`;

/** Returns the newest evidence for a calibration. */
export function listPredictions(
  query: Query,
  viewer: Viewer,
  { where, limit }: { where: readonly Sql[]; limit: number },
): Promise<Predicted[]> {
  return query.all<Predicted>(
    sql`SELECT seq, confidence_before, success FROM evidence WHERE account_id = ${viewer.account_id} AND applied = 1 AND origin_seq IS NULL
        AND ${visibleTo(viewer.agent_id)}${andAll(where)} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** The same of a branch that inherits from others: of each, among its newest lines up to the fork. */
export function listInheritedPredictions(
  query: Query,
  { account_id, agent_id, lineage }: EntryView,
  { where, limit }: { where: readonly Sql[]; limit: number },
): Promise<Predicted[]> {
  const spans = lineage.map(({ branch, up_to_seq }) => {
    const upTo = up_to_seq === null ? emptySql : sql` AND seq <= ${up_to_seq}`;
    return sql`SELECT * FROM (SELECT * FROM evidence WHERE account_id = ${account_id} AND applied = 1 AND origin_seq IS NULL${upTo}
        ORDER BY seq DESC LIMIT ${limit}) AS newest WHERE branch = ${branch}`;
  });
  return query.all<Predicted>(
    sql`SELECT seq, confidence_before, success FROM (${joinSql(spans, ' UNION ALL ')}) AS shown
        WHERE ${visibleTo(agent_id)}${andAll(where)} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** Whether a branch of the lineage has more lines than are looked at. */
export async function hasMorePredictions(
  query: Query,
  { account_id, lineage }: EntryView,
  limit: number,
): Promise<boolean> {
  const ends = lineage.map(({ up_to_seq }) => up_to_seq ?? Number.MAX_SAFE_INTEGER);
  const row = await query.get(
    sql`SELECT 1 AS beyond FROM evidence WHERE account_id = ${account_id} AND applied = 1 AND origin_seq IS NULL
        AND seq <= ${Math.max(...ends)}
        ORDER BY seq DESC LIMIT 1 OFFSET ${limit}`,
  );
  return row !== undefined;
}
