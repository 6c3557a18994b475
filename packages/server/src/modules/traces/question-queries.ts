import { type Find, type Query, type Sql, sql } from '../../db/index.ts';

/** A query of a sealed session that showed entries. */
export type AskedRow = {
  seq: number;
  no: number;
  visible_to: string;
  entity_path: string | null;
  /** JSON with `operation`, `parameters`, `shown`, `occurred_at`. */
  data: string;
};

/** Some traces, and how many of their parts are read at most. */
export type PartsOfTraces = { account_id: string; seqs: Sql; limit: number };

/** The queries of traces that showed entries, up to so many. */
export function listAsked(query: Query, { account_id, seqs, limit }: PartsOfTraces): Promise<AskedRow[]> {
  return query.all<AskedRow>(
    sql`SELECT seq, no, visible_to, entity_path, data FROM trace_items WHERE account_id = ${account_id}
          AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND kind = 'query' AND data LIKE '%"shown":[%'
        ORDER BY seq, no LIMIT ${limit}`,
  );
}

export type RecentTrace = { seq: number; trace_id: string; branch: string; visible_to: string };

/** The newest traces of an account, without a visibility check. */
export function listRecentTraces(query: Query, accountId: string, limit: number): Promise<RecentTrace[]> {
  return query.all<RecentTrace>(
    sql`SELECT seq, trace_id, branch, visible_to FROM traces WHERE account_id = ${accountId}
        ORDER BY seq DESC LIMIT ${limit}`,
  );
}

export type ReadTimeRow = { seq: number; entry_id: number; data: string };

/** The entries that traces say were read. */
export function listReadParts(query: Query, { account_id, seqs, limit }: PartsOfTraces): Promise<ReadTimeRow[]> {
  return query.all<ReadTimeRow>(
    sql`SELECT seq, entry_id, data FROM trace_items WHERE account_id = ${account_id}
          AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND kind = 'read' AND entry_id IS NOT NULL AND data IS NOT NULL
        ORDER BY seq, no LIMIT ${limit}`,
  );
}

const partFacts: Find = {
  table: 'trace_items',
  select: 'CASE WHEN data IS NULL THEN 0 ELSE 1 END AS is_there',
  by: { account_id: 'text', seq: 'int', no: 'int' },
};

/** Whether each of some parts still has its content: it may have been erased, or removed for its age. */
export async function havePartsContent(
  query: Query,
  accountId: string,
  parts: readonly { trace_seq: number; trace_no: number }[],
): Promise<boolean[]> {
  const keys = parts.map(({ trace_seq, trace_no }) => [accountId, trace_seq, trace_no]);
  return (await query.findMany<{ is_there: number }>(partFacts, keys)).map((row) => row?.is_there === 1);
}
