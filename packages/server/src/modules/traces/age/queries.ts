import { fragment, type Insert, type Query, type Sql, sql, type Transaction, type Update } from '../../../db/index.ts';
import type { TraceRow } from '../queries.ts';

/** The last trace of a session that was removed for its age: its hash verifies the traces after it. */
export const upsertEnds: Insert = {
  table: 'trace_ends',
  columns: { account_id: 'text', agent_id: 'text', session: 'text', sequence: 'int', hash: 'text', seq: 'int' },
  suffix: `ON CONFLICT (account_id, agent_id, session) DO UPDATE SET
    sequence = excluded.sequence, hash = excluded.hash, seq = excluded.seq`,
};

export type OldTrace = Pick<TraceRow, 'agent_id' | 'session' | 'sequence' | 'hash' | 'seq' | 'header'>;
export type OldTraceQuery = { account_id: string; after: number; before: number; limit: number };

/** Oldest first, between two values of `seq`. */
export function listOld(query: Query, { account_id, after, before, limit }: OldTraceQuery): Promise<OldTrace[]> {
  return query.all(
    sql`SELECT agent_id, session, sequence, hash, seq, header FROM traces
        WHERE account_id = ${account_id} AND seq > ${after} AND seq < ${before} ORDER BY seq LIMIT ${limit}`,
  );
}

export type OldTraces = { account_id: string; seqs: readonly number[]; listed: Sql };

const among = ({ account_id, listed }: OldTraces): Sql =>
  sql`account_id = ${account_id} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${listed})`;

/** Parts that hold words of people and models. Which entries were read and written stays. */
const SPOKEN = fragment(`('context', 'action', 'llm_call', 'span', 'attempt', 'query', 'error')`);

/** Bytes of the traces and their parts; of the parts alone, those that hold words. */
export async function sumBytes(query: Query, old: OldTraces): Promise<{ all: number; spoken: number }> {
  const data = fragment('octet_length(data)');
  const items = await query.get<{ n: number; spoken: number }>(
    sql`SELECT CAST(coalesce(sum(${data}), 0) AS BIGINT) AS n,
          CAST(coalesce(sum(CASE WHEN kind IN ${SPOKEN} THEN ${data} ELSE 0 END), 0) AS BIGINT) AS spoken
        FROM trace_items WHERE ${among(old)}`,
  );
  const heads = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(${fragment('octet_length(header)')}), 0) AS BIGINT) AS n FROM traces WHERE ${among(old)}`,
  );
  return { all: (items?.n ?? 0) + (heads?.n ?? 0), spoken: items?.spoken ?? 0 };
}

export async function deleteTraces(tx: Transaction, old: OldTraces): Promise<void> {
  await tx.run(sql`DELETE FROM trace_items WHERE ${among(old)}`);
  await tx.run(sql`DELETE FROM traces WHERE ${among(old)}`);
}

/** On SQLite; on PostgreSQL the words are a column of the trace. */
export function deleteTraceWords(tx: Transaction, rowids: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM trace_words WHERE rowid IN (SELECT value FROM ${rowids})`);
}

export function erasePayloads(tx: Transaction, old: OldTraces): Promise<number> {
  return tx.run(
    sql`UPDATE trace_items SET entity_path = NULL, key = NULL, entry_id = NULL, data = NULL
        WHERE ${among(old)} AND kind IN ${SPOKEN} AND data IS NOT NULL`,
  );
}

/** On PostgreSQL; on SQLite the words are in a table of their own. */
export function dropSearchWords(tx: Transaction, old: OldTraces): Promise<number> {
  return tx.run(sql`UPDATE traces SET search_words = NULL WHERE ${among(old)}`);
}

/** By agent too: without statistics, PostgreSQL takes an index over agents, and would read all of the account in it. */
export const updateHeaders: Update = {
  table: 'traces',
  set: { header: 'text' },
  by: { account_id: 'text', agent_id: 'text', seq: 'int' },
};

export async function countTraces(query: Query, accountId: string): Promise<number> {
  return (
    (await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM traces WHERE account_id = ${accountId}`))?.n ?? 0
  );
}

/** Whether a job has anything to do, so that an idle job writes no audit line. */
export function hasTraces(query: Query, accountId: string, age: { after: number; before: number }) {
  return query.get<{ seq: number }>(
    sql`SELECT seq FROM traces WHERE account_id = ${accountId} AND seq > ${age.after} AND seq < ${age.before} LIMIT 1`,
  );
}

/** On PostgreSQL, after traces were removed. */
export const freeTraces: readonly Sql[] = [fragment('VACUUM traces'), fragment('VACUUM trace_items')];
