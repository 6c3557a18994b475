import { andAll, type Find, type FirstRows, fragment, type Insert, type Query, type Sql, sql } from '../../db/index.ts';
import { type Scope, scopeConditions, type Viewer, visibleTo } from '../../kernel/index.ts';
import type { SessionKey } from '../sessions/index.ts';

export type TraceRow = {
  account_id: string;
  /** The `seq` of the event that sealed it. */
  seq: number;
  trace_id: string;
  agent_id: string;
  session: string;
  sequence: number;
  branch: string;
  outcome_ref: string | null;
  outcome_type: string | null;
  visible_to: string;
  created_at: number;
  header: string;
  parent_hash: string | null;
  hash: string;
  signature: string | null;
  key_id: string | null;
  /**
   * The hash of the header that the seal covers, so that the header can be erased. Null in older rows, whose seal covers
   * the header itself.
   */
  header_hash: string | null;
  /** 1 where a part is an error. Null, which means no, in rows of exports from before there was such a column. */
  has_error: number | null;
};

export type TraceItemRow = {
  account_id: string;
  seq: number;
  no: number;
  kind: string;
  visible_to: string;
  entity_path: string | null;
  key: string | null;
  entry_id: number | null;
  /** Null after erasure. */
  data: string | null;
  hash: string;
};

export const insertTraces: Insert = {
  table: 'traces',
  columns: {
    account_id: 'text',
    seq: 'int',
    trace_id: 'text',
    agent_id: 'text',
    session: 'text',
    sequence: 'int',
    branch: 'text',
    outcome_ref: 'text',
    outcome_type: 'text',
    visible_to: 'text',
    created_at: 'int',
    header: 'text',
    parent_hash: 'text',
    hash: 'text',
    signature: 'text',
    key_id: 'text',
    header_hash: 'text',
    has_error: 'int',
  },
};

/** For an engine that stores the words of a trace in its row. */
export const insertTracesWithWords: Insert = {
  table: 'traces',
  columns: { ...insertTraces.columns, search_words: 'search_text' },
};

export const insertTraceWords: Insert = {
  table: 'trace_words',
  columns: { rowid: 'int', words: 'text' },
  singly: true,
};

/** `in_ledger`: the ledger has a line of the same outcome about the same entry with the same visibility. */
export type NewTraceItem = TraceItemRow & { in_ledger: number };

const itemColumns = {
  account_id: 'text',
  seq: 'int',
  no: 'int',
  kind: 'text',
  visible_to: 'text',
  entity_path: 'text',
  key: 'text',
  entry_id: 'int',
  data: 'text',
  hash: 'text',
} as const;

export const insertTraceItems: Insert = {
  table: 'trace_items',
  columns: { ...itemColumns, in_ledger: 'int' },
};

export const TRACE = { text: Object.keys(insertTraces.columns).join(', '), values: [] } satisfies Sql;
const ITEM = { text: Object.keys(itemColumns).join(', '), values: [] } satisfies Sql;

export type LastTrace = Pick<TraceRow, 'sequence' | 'hash' | 'seq'>;

/** Returns the end of a session's chain; where its traces were removed for their age, the hash kept of the last one. */
export function getLastTrace(
  query: Query,
  { account_id, agent_id, session }: SessionKey,
): Promise<LastTrace | undefined> {
  const ofSession = sql`account_id = ${account_id} AND agent_id = ${agent_id} AND session = ${session}`;
  return query.get<LastTrace>(
    sql`SELECT * FROM (SELECT sequence, hash, seq FROM traces WHERE ${ofSession} ORDER BY sequence DESC LIMIT 1) AS last
        UNION ALL SELECT sequence, hash, seq FROM trace_ends WHERE ${ofSession} ORDER BY sequence DESC LIMIT 1`,
  );
}

/** A query without a path covered all paths, and so did its answer. */
const HAS_PATH = fragment(`(trace_items.entity_path IS NOT NULL OR trace_items.kind = 'query')`);

/** A condition on parts: those about paths in scope, or without a path. */
const partsInScope = (scope: Scope | undefined): Sql[] =>
  scope === undefined
    ? []
    : [
        sql`(NOT ${HAS_PATH} OR (trace_items.entity_path IS NOT NULL${andAll(scopeConditions(scope, 'trace_items.entity_path'))}))`,
      ];

/**
 * A condition on traces: at least one part with a path is in scope, or no part has a path. It is no EXISTS, which
 * PostgreSQL may answer by reading the parts of all traces of the account.
 */
export function tracesInScope({ account_id, agent_id, scope }: Viewer, table: 'traces' | 'looked_at'): Sql[] {
  if (scope === undefined) return [];
  const parts = sql`SELECT 1 FROM trace_items WHERE trace_items.account_id = ${account_id}
      AND trace_items.seq = ${fragment(table)}.seq`;
  return [
    sql`((${parts} AND ${HAS_PATH} LIMIT 1) IS NULL OR (${parts} AND trace_items.entity_path IS NOT NULL
      AND (trace_items.visible_to = '' OR trace_items.visible_to = ${agent_id})${andAll(scopeConditions(scope, 'trace_items.entity_path'))}
      LIMIT 1) IS NOT NULL)`,
  ];
}

export function getTrace(query: Query, viewer: Viewer, traceId: string): Promise<TraceRow | undefined> {
  return query.get<TraceRow>(
    sql`SELECT ${TRACE} FROM traces WHERE account_id = ${viewer.account_id} AND trace_id = ${traceId}
        AND ${visibleTo(viewer.agent_id)}${andAll(tracesInScope(viewer, 'traces'))}`,
  );
}

/** The first trace of a session that was sealed after a place in the log. */
export function getTraceOfSession(
  query: Query,
  viewer: Viewer,
  { agent_id, session, after }: { agent_id: string; session: string; after: number },
): Promise<Pick<TraceRow, 'trace_id'> | undefined> {
  return query.get(
    sql`SELECT trace_id FROM traces WHERE account_id = ${viewer.account_id} AND agent_id = ${agent_id} AND session = ${session}
        AND seq > ${after} AND ${visibleTo(viewer.agent_id)}${andAll(tracesInScope(viewer, 'traces'))} ORDER BY sequence LIMIT 1`,
  );
}

/** Returns the newest trace of an outcome, limited to one session where it is given. */
export function getTraceByOutcome(
  query: Query,
  viewer: Viewer,
  { outcome_ref, where }: { outcome_ref: string; where: readonly Sql[] },
): Promise<TraceRow | undefined> {
  return query.get<TraceRow>(
    sql`SELECT ${TRACE} FROM traces WHERE account_id = ${viewer.account_id} AND outcome_ref = ${outcome_ref}
        AND ${visibleTo(viewer.agent_id)}${andAll([...where, ...tracesInScope(viewer, 'traces')])} ORDER BY seq DESC LIMIT 1`,
  );
}

/** Returns the parts of traces that an agent may see. `kinds` narrows them down. */
export function listItems(
  query: Query,
  viewer: Viewer,
  { seqs, kinds, bytes }: { seqs: Sql; kinds: readonly Sql[]; bytes: number },
): Promise<FirstRows<TraceItemRow>> {
  return query.first<TraceItemRow>(
    sql`SELECT ${ITEM} FROM trace_items WHERE account_id = ${viewer.account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND ${visibleTo(viewer.agent_id)}${andAll([...kinds, ...partsInScope(viewer.scope)])}
        ORDER BY seq, no`,
    { columns: ['data'], bytes },
  );
}

/** Whether a trace has more parts than so many. */
export async function hasParts(
  query: Query,
  { account_id, seq }: Pick<TraceRow, 'account_id' | 'seq'>,
  more_than: number,
): Promise<boolean> {
  const part = await query.get(
    sql`SELECT no FROM trace_items WHERE account_id = ${account_id} AND seq = ${seq} AND no = ${more_than}`,
  );
  return part !== undefined;
}

/** Returns the traces of which the scope hides a part, or of which one was erased. */
export function listPartlyHidden(query: Query, { account_id, scope }: Viewer, seqs: Sql): Promise<{ seq: number }[]> {
  return query.all(
    sql`SELECT DISTINCT seq FROM trace_items WHERE account_id = ${account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND (data IS NULL OR NOT (true${andAll(partsInScope(scope))}))`,
  );
}

/** Returns the size of all parts of traces, without a visibility check. */
export function listSizes(
  query: Query,
  accountId: string,
  { seqs, kinds }: { seqs: Sql; kinds: readonly Sql[] },
): Promise<{ seq: number; bytes: number; parts: number }[]> {
  return query.all(
    sql`SELECT seq, sum(coalesce(octet_length(data), 0)) AS bytes, count(*) AS parts FROM trace_items
        WHERE account_id = ${accountId} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})${andAll(kinds)} GROUP BY seq`,
  );
}

export type TracePage = {
  where: readonly Sql[];
  filters: readonly Sql[];
  scan: number;
  limit: number;
  offset: number;
  bytes: number;
};

/** Newest first. With filters that no index serves, scans at most `scan` traces. */
export function listTraces(query: Query, viewer: Viewer, page: TracePage): Promise<FirstRows<TraceRow>> {
  const limit = { columns: ['header'], bytes: page.bytes };
  const base = sql`SELECT ${TRACE} FROM traces WHERE account_id = ${viewer.account_id}
      AND ${visibleTo(viewer.agent_id)}${andAll(page.where)} ORDER BY seq DESC`;
  if (page.filters.length === 0)
    return query.first<TraceRow>(sql`${base} LIMIT ${page.limit} OFFSET ${page.offset}`, limit);
  return query.first<TraceRow>(
    sql`SELECT * FROM (${base} LIMIT ${page.scan}) AS looked_at WHERE true${andAll(page.filters)}
        ORDER BY seq DESC LIMIT ${page.limit} OFFSET ${page.offset}`,
    limit,
  );
}

/** Returns the last trace of a scan, when more follow it. */
export function endOfScan(query: Query, viewer: Viewer, page: TracePage): Promise<{ seq: number } | undefined> {
  return query.get<{ seq: number }>(
    sql`SELECT seq FROM traces WHERE account_id = ${viewer.account_id} AND ${visibleTo(viewer.agent_id)}${andAll(page.where)}
        ORDER BY seq DESC LIMIT 1 OFFSET ${page.scan - 1}`,
  );
}

/** A part of a trace: the `seq` of the trace, and the number of the part. */
export type PartPosition = { seq: number; no: number };
export type PartRange = { after: PartPosition; last_seq: number; bytes: number };

/** Returns the parts of traces after one of them, in order and without a visibility check. */
export function listPartsInOrder(
  query: Query,
  accountId: string,
  { after, last_seq, bytes }: PartRange,
): Promise<FirstRows<TraceItemRow>> {
  return query.first<TraceItemRow>(
    sql`SELECT ${ITEM} FROM trace_items WHERE account_id = ${accountId}
        AND (seq, no) > (${after.seq}, ${after.no}) AND seq <= ${last_seq} ORDER BY seq, no LIMIT ${PARTS_AT_ONCE}`,
    { columns: ['data'], bytes },
  );
}

export const PARTS_AT_ONCE = 5000;

const ofSession = { account_id: 'text', agent_id: 'text', session: 'text' } as const;

/** Finds traces by their positions in the chains of their sessions. */
export const findInChain: Find = { table: 'traces', select: 'hash', by: { ...ofSession, sequence: 'int' } };

export type ChainEnd = { sequence: number; hash: string };

/** Finds the last removed trace of a session, where traces were removed for their age. */
export const findChainEnds: Find = { table: 'trace_ends', select: 'sequence, hash', by: ofSession };

/** A filter: traces that read an entry at these paths, as far as the agent may see. */
export function hasReadAt({ account_id, agent_id }: Viewer, paths: readonly Sql[]): Sql {
  return sql`(SELECT 1 FROM trace_items WHERE trace_items.account_id = ${account_id} AND trace_items.seq = looked_at.seq
      AND trace_items.kind = 'read'
      AND (trace_items.visible_to = '' OR trace_items.visible_to = ${agent_id})${andAll(paths)} LIMIT 1) IS NOT NULL`;
}

/** A filter: traces with an error that the viewer may see, or without one. */
export function hasErrorShown({ account_id, agent_id, scope }: Viewer, wanted: boolean): Sql {
  const error = sql`(SELECT 1 FROM trace_items WHERE trace_items.account_id = ${account_id} AND trace_items.seq = looked_at.seq
      AND trace_items.kind = 'error' AND trace_items.data IS NOT NULL
      AND (trace_items.visible_to = '' OR trace_items.visible_to = ${agent_id})${andAll(partsInScope(scope))} LIMIT 1)`;
  return wanted ? sql`${error} IS NOT NULL` : sql`(coalesce(has_error, 0) = 0 OR ${error} IS NULL)`;
}
