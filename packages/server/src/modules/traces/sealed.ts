import { andAll, type Dialect, type Find, type Query, type Sql, sql } from '../../db/index.ts';
import { groupBySeq, type Viewer, visibleTo } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import * as queries from './queries.ts';
import type { TraceFacts } from './readers.ts';
import type { TraceHeader } from './shape.ts';

/** A part of a sealed trace with its content, without a visibility check. */
export type SealedPart = Pick<queries.TraceItemRow, 'kind' | 'visible_to' | 'entity_path' | 'key' | 'entry_id'> & {
  data: Record<string, unknown>;
};

/** A trace with all its parts, or the first of them where it is larger than it may be. */
export type SealedContent = TraceFacts & { header: TraceHeader; parts: SealedPart[]; is_partial: boolean };

type HeadedTrace = TraceFacts & { header: string };

const headedTraces: Find = {
  table: 'traces',
  select: 'seq, trace_id, agent_id, session, branch, outcome_ref, outcome_type, visible_to, created_at, header',
  by: { account_id: 'text', seq: 'int' },
};

const partsOf = (accountId: string, seqs: Sql): Sql =>
  sql`SELECT account_id, seq, no, kind, visible_to, entity_path, key, entry_id, data, hash FROM trace_items
      WHERE account_id = ${accountId} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) ORDER BY seq, no`;

export type WholeTraces = { account_id: string; seqs: readonly number[]; bytes: number };

/** Traces by number, oldest first, with parts of so many bytes in memory at a time and for one trace. */
export async function* wholeTraces(
  { query, dialect }: { query: Query; dialect: Dialect },
  { account_id, seqs, bytes }: WholeTraces,
): AsyncGenerator<SealedContent, void, undefined> {
  const sorted = [...new Set(seqs)].sort((a, b) => a - b);
  const found = await query.findMany<HeadedTrace>(
    headedTraces,
    sorted.map((seq) => [account_id, seq]),
  );
  let left = found.flatMap((head) => head ?? []);
  while (left.length > 0) {
    const listed = dialect.numbers(left.map(({ seq }) => seq));
    const { rows, more } = await query.first<queries.TraceItemRow>(partsOf(account_id, listed), {
      columns: ['data'],
      bytes,
    });
    // The last one may go on; it is read again, first of the next ones, unless it is too large by itself.
    const last = more ? rows.at(-1)?.seq : undefined;
    const first = left[0]?.seq;
    const items = groupBySeq(rows);
    const done = left.filter(({ seq }) => last === undefined || seq < last || seq === first);
    for (const head of done) yield await parse(head, items.get(head.seq) ?? [], head.seq === last);
    left = left.slice(done.length);
  }
}

const PARTS_PER_STEP = 64;

async function parse(
  { header, ...facts }: HeadedTrace,
  items: readonly queries.TraceItemRow[],
  is_partial: boolean,
): Promise<SealedContent> {
  const parts: SealedPart[] = [];
  for (const [i, { kind, visible_to, entity_path, key, entry_id, data }] of items.entries()) {
    if (i % PARTS_PER_STEP === PARTS_PER_STEP - 1) await pause();
    if (data !== null) parts.push({ kind, visible_to, entity_path, key, entry_id, data: JSON.parse(data) });
  }
  return { ...facts, header: JSON.parse(header) as TraceHeader, parts, is_partial };
}

export type TracesBetween = {
  account_id: string;
  /** Null for all agents. */
  agent_id: string | null;
  from: number;
  before: number;
  limit: number;
};

/** Traces between two places in the log, oldest first, without a visibility check. */
export function listTracesBetween(
  query: Query,
  { account_id, agent_id, from, before, limit }: TracesBetween,
): Promise<Pick<TraceFacts, 'seq' | 'trace_id' | 'agent_id'>[]> {
  const ofAgent = agent_id === null ? [] : [sql`agent_id = ${agent_id}`];
  return query.all(
    sql`SELECT seq, trace_id, agent_id FROM traces WHERE account_id = ${account_id} AND seq >= ${from}
        AND seq < ${before}${andAll(ofAgent)} ORDER BY seq LIMIT ${limit}`,
  );
}

/** Those of some traces that a reader may see, whatever the branch. */
export async function tracesInSight(
  query: Query,
  { viewer, dialect }: { viewer: Viewer; dialect: Dialect },
  seqs: readonly number[],
): Promise<ReadonlySet<number>> {
  if (seqs.length === 0) return new Set();
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM traces WHERE account_id = ${viewer.account_id}
          AND seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(seqs)})
          AND ${visibleTo(viewer.agent_id)}${andAll(queries.tracesInScope(viewer, 'traces'))}`,
  );
  return new Set(rows.map(({ seq }) => seq));
}
