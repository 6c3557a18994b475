import { type Dialect, type Find, fragment, type Query, sql } from '../../db/index.ts';
import type { TraceRow } from './queries.ts';

/** A part of a trace at a path; of a read, which version it was and when. */
export type PartAtPath = {
  seq: number;
  no: number;
  kind: string;
  entry_id: number | null;
  version: number | null;
  read_at: string | null;
};

export type PartsAtPath = { account_id: string; entity_path: string; after: readonly [number, number]; limit: number };

/** The next parts of traces at a path, in the order of the log; those that the ledger holds are found there. */
export function listPartsAtPath(query: Query, dialect: Dialect, part: PartsAtPath): Promise<PartAtPath[]> {
  const { account_id, entity_path, after, limit } = part;
  const member = (name: string) => fragment(dialect.jsonMember('data', [name], 'text'));
  return query.all<PartAtPath>(
    sql`SELECT seq, no, kind, entry_id, CAST(${member('version')} AS BIGINT) AS version, ${member('read_at')} AS read_at
        FROM trace_items WHERE account_id = ${account_id} AND entity_path = ${entity_path} AND entity_path IS NOT NULL
          AND in_ledger = 0 AND (seq, no) > (${after[0]}, ${after[1]}) ORDER BY seq, no LIMIT ${limit}`,
  );
}

export type TraceFacts = Pick<
  TraceRow,
  'seq' | 'trace_id' | 'agent_id' | 'session' | 'branch' | 'outcome_ref' | 'outcome_type' | 'visible_to' | 'created_at'
>;

const traceFacts: Find = {
  table: 'traces',
  select: 'seq, trace_id, agent_id, session, branch, outcome_ref, outcome_type, visible_to, created_at',
  by: { account_id: 'text', seq: 'int' },
};

/** Finds traces by number, without a visibility check. One result per number, in order. */
export function findTraces(
  query: Query,
  accountId: string,
  seqs: readonly number[],
): Promise<(TraceFacts | undefined)[]> {
  return query.findMany<TraceFacts>(
    traceFacts,
    seqs.map((seq) => [accountId, seq]),
  );
}
