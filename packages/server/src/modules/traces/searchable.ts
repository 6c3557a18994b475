import { andAll, type Find, type FirstRows, fragment, type Query, type Sql, sql } from '../../db/index.ts';
import { groupBySeq, pageBytes, type ReadContext, readableRows, type Viewer, visibleTo } from '../../kernel/index.ts';
import { listItems, type TraceItemRow, type TraceRow, tracesInScope } from './queries.ts';
import { type ReadPart, TraceParts } from './render.ts';
import { viewerOf } from './viewer.ts';

/** A trace as an index of words needs it. */
export type SealedRow = Pick<
  TraceRow,
  | 'seq'
  | 'trace_id'
  | 'agent_id'
  | 'session'
  | 'branch'
  | 'outcome_ref'
  | 'outcome_type'
  | 'visible_to'
  | 'created_at'
  | 'header'
>;

const SEALED = 'seq, trace_id, agent_id, session, branch, outcome_ref, outcome_type, visible_to, created_at, header';

const sealedBySeq: Find = { table: 'traces', select: SEALED, by: { account_id: 'text', seq: 'int' } };

/** Finds traces by number, without a visibility check. */
export async function findSealed(query: Query, accountId: string, seqs: readonly number[]): Promise<SealedRow[]> {
  const keys = seqs.map((seq) => [accountId, seq]);
  const rows = await query.findMany<SealedRow>(sealedBySeq, keys);
  return rows.filter((row) => row !== undefined);
}

/** Some traces by number as far as their texts are within a limit, newest first; without a visibility check. */
export function listSealed(
  query: Query,
  { account_id, seqs, bytes }: { account_id: string; seqs: Sql; bytes: number },
): Promise<FirstRows<SealedRow>> {
  return query.first<SealedRow>(
    sql`SELECT ${fragment(SEALED)} FROM traces WHERE account_id = ${account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) ORDER BY seq DESC`,
    { columns: ['header'], bytes },
  );
}

/** The numbers of the newest traces after one, without a visibility check. */
export async function listSeqsAfter(
  query: Query,
  { account_id, after, limit }: { account_id: string; after: number; limit: number },
): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM traces WHERE account_id = ${account_id} AND seq > ${after} ORDER BY seq DESC LIMIT ${limit}`,
  );
  return rows.map(({ seq }) => seq);
}

export type SpokenPart = Pick<TraceItemRow, 'seq' | 'no' | 'kind' | 'data'>;
type SpokenParts = { account_id: string; seqs: Sql; after: readonly [seq: number, no: number]; bytes: number };

/** What was recorded in traces besides entries: parts that all who see the trace may see. */
export function listSpokenParts(
  query: Query,
  { account_id, seqs, after, bytes }: SpokenParts,
): Promise<FirstRows<SpokenPart>> {
  return query.first<SpokenPart>(
    sql`SELECT seq, no, kind, data FROM trace_items WHERE account_id = ${account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND (seq, no) > (${after[0]}, ${after[1]})
        AND kind IN ('action', 'llm_call', 'span', 'error', 'context') AND visible_to = '' AND entity_path IS NULL
        AND data IS NOT NULL ORDER BY seq, no LIMIT 5000`,
    { columns: ['data'], bytes },
  );
}

/** Those of some traces that are in the scope of a key. */
export function listInScope(query: Query, viewer: Viewer, seqs: Sql): Promise<{ seq: number }[]> {
  return query.all(
    sql`SELECT seq FROM traces WHERE account_id = ${viewer.account_id} AND ${visibleTo(viewer.agent_id)}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})${andAll(tracesInScope(viewer, 'traces'))}`,
  );
}

/** Those of some traces that read an entry, as far as the agent may see: `where` are conditions on parts. */
export function listThatRead(
  query: Query,
  viewer: Viewer,
  { seqs, where }: { seqs: Sql; where: readonly Sql[] },
): Promise<{ seq: number }[]> {
  return query.all(
    sql`SELECT DISTINCT seq FROM trace_items WHERE account_id = ${viewer.account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND kind = 'read' AND ${visibleTo(viewer.agent_id)}${andAll(where)}`,
  );
}

type ReadersAt = {
  entity_path: string;
  before: number;
  limit: number;
  /** Further conditions on parts. */
  where: readonly Sql[];
  oldest_first?: boolean;
};

/** The newest, or the oldest, traces before one that read at a path, by its index. */
export async function listReadersAt(
  query: Query,
  viewer: Viewer,
  { entity_path, before, limit, where, oldest_first = false }: ReadersAt,
): Promise<number[]> {
  const order = fragment(oldest_first ? 'ASC' : 'DESC');
  const rows = await query.all<{ seq: number }>(
    sql`SELECT DISTINCT seq FROM trace_items WHERE account_id = ${viewer.account_id} AND entity_path = ${entity_path}
        AND entity_path IS NOT NULL AND seq < ${before} AND kind = 'read' AND ${visibleTo(viewer.agent_id)}${andAll(where)}
        ORDER BY seq ${order} LIMIT ${limit}`,
  );
  return rows.map(({ seq }) => seq);
}

export type ReadOfTrace = Pick<ReadPart, 'entity_path' | 'key' | 'version' | 'confidence' | 'branch' | 'entry_id'> &
  Pick<ReadPart, 'success_count' | 'failure_count'>;
export type WriteOfTrace = { entity_path: string; key: string; version: number };
/** In the order in which they were read and written. */
export type EntriesOfTrace = { reads: readonly ReadOfTrace[]; writes: readonly WriteOfTrace[] };

const ABOUT_ENTRIES = [fragment(`kind IN ('read', 'write')`)];

/** The entries that each of some traces read and wrote, as far as the caller may see them; the traces fit into one page. */
export async function findEntriesOfTraces(context: ReadContext, seqs: readonly number[]): Promise<EntriesOfTrace[]> {
  if (seqs.length === 0) return [];
  const { scan, dialect, services } = context;
  const wanted = { seqs: dialect.numbers(seqs), kinds: ABOUT_ENTRIES, bytes: pageBytes(services) };
  const items = groupBySeq((await listItems(scan, viewerOf(context), wanted)).rows);
  const found: EntriesOfTrace[] = [];
  for (const seq of seqs) {
    const parts = await TraceParts.parse(items.get(seq) ?? []);
    const writes = parts.of<WriteOfTrace & { event_type: string }>('write');
    found.push({
      reads: parts.of<ReadPart>('read'),
      writes: writes.filter(({ event_type }) => event_type === 'write'),
    });
  }
  // A session may have read on other branches than the one of its outcome.
  const readable = new Set(
    await readableRows(
      context,
      found.flatMap(({ reads }) => reads),
    ),
  );
  return found.map(({ reads, writes }) => ({ reads: reads.filter((one) => readable.has(one)), writes }));
}
