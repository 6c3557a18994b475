import { andAll, type Dialect, type Find, fragment, type Query, type Sql, sql } from '../../db/index.ts';
import { groupBySeq, scopeConditions, type Viewer, visibleTo } from '../../kernel/index.ts';
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

async function parse(
  { header, ...facts }: HeadedTrace,
  items: readonly queries.TraceItemRow[],
  is_partial: boolean,
): Promise<SealedContent> {
  const parts: SealedPart[] = [];
  for (const { kind, visible_to, entity_path, key, entry_id, data } of items) {
    // A few parts can be as long as hundreds: only the clock says when it has been enough.
    const turn = pause();
    if (turn !== undefined) await turn;
    if (data !== null) parts.push({ kind, visible_to, entity_path, key, entry_id, data: JSON.parse(data) });
  }
  await pause();
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

const FACTS = fragment('seq, trace_id, agent_id, session, branch, outcome_ref, outcome_type, visible_to, created_at');

/** The same, newest first. */
export function listNewestTraces(
  query: Query,
  { account_id, agent_id, from, before, limit }: TracesBetween,
): Promise<TraceFacts[]> {
  const ofAgent = agent_id === null ? [] : [sql`agent_id = ${agent_id}`];
  return query.all<TraceFacts>(
    sql`SELECT ${FACTS} FROM traces WHERE account_id = ${account_id} AND seq >= ${from}
        AND seq < ${before}${andAll(ofAgent)} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

export type TracesById = { account_id: string; trace_ids: readonly string[] };

/** Traces by id, without a visibility check. */
export function listTracesById(
  query: Query,
  dialect: Dialect,
  { account_id, trace_ids }: TracesById,
): Promise<TraceFacts[]> {
  return query.all<TraceFacts>(
    sql`SELECT ${FACTS} FROM traces WHERE account_id = ${account_id}
          AND trace_id IN (SELECT value FROM ${dialect.texts(trace_ids)})`,
  );
}

type SightOfTraces = { viewer: Viewer; dialect: Dialect };

/** Traces by id that a reader may see, whatever the branch. */
export function listNamedTraces(
  query: Query,
  { viewer, dialect }: SightOfTraces,
  ids: readonly string[],
): Promise<TraceFacts[]> {
  return query.all<TraceFacts>(
    sql`SELECT ${FACTS} FROM traces WHERE account_id = ${viewer.account_id}
          AND trace_id IN (SELECT value FROM ${dialect.texts(ids)})
          AND ${visibleTo(viewer.agent_id)}${andAll(queries.tracesInScope(viewer, 'traces'))}`,
  );
}

/** A version of an entry that a trace says was read. */
export type VersionRead = {
  seq: number;
  no: number;
  entry_id: number;
  entity_path: string;
  branch: string;
  version: number;
};

export type ReadsOfTraces = { seqs: readonly number[]; after: readonly [seq: number, no: number]; limit: number };

/** What traces read, part by part, as far as a reader may see the parts, whatever the branch. */
export function listVersionsRead(
  query: Query,
  { viewer, dialect }: SightOfTraces,
  { seqs, after, limit }: ReadsOfTraces,
): Promise<VersionRead[]> {
  const member = (name: string) => fragment(dialect.jsonMember('data', [name], 'text'));
  return query.all<VersionRead>(
    sql`SELECT seq, no, entry_id, entity_path, coalesce(${member('branch')}, 'main') AS branch,
          CAST(${member('version')} AS BIGINT) AS version FROM trace_items
        WHERE account_id = ${viewer.account_id} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(seqs)})
          AND (seq, no) > (${after[0]}, ${after[1]}) AND kind = 'read' AND entity_path IS NOT NULL
          AND entry_id IS NOT NULL AND data IS NOT NULL AND ${visibleTo(viewer.agent_id)}${andAll(scopeConditions(viewer.scope))}
        ORDER BY seq, no LIMIT ${limit}`,
  );
}

/** Those of some traces that a reader may see, whatever the branch. */
export async function tracesInSight(
  query: Query,
  { viewer, dialect }: SightOfTraces,
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
