import {
  cursorSeq,
  type Dialect,
  EVERYONE,
  type FoundMatch,
  findNewest,
  fragment,
  type Insert,
  MAIN_BRANCH,
  matchingRows,
  newestOf,
  type Query,
  rowidOf,
  type SeqWindow,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';
import type { TraceFacets } from './document-builder.ts';

export type IndexedTraceRow = {
  account_id: string;
  seq: number;
  agent_id: string;
  branch: string;
  visible_to: string;
  duration_ms: number | null;
  cost_usd: number | null;
  /** JSON, see `TraceFacets`. */
  facts: string;
};

export const insertIndexedTraces = {
  table: 'indexed_traces',
  columns: {
    account_id: 'text',
    seq: 'int',
    agent_id: 'text',
    branch: 'text',
    visible_to: 'text',
    duration_ms: 'int',
    cost_usd: 'real',
    facts: 'text',
  },
} as const satisfies Insert;

/** For an engine that stores the words in the row. */
export const insertIndexedWithWords: Insert = {
  table: 'indexed_traces',
  columns: { ...insertIndexedTraces.columns, search_words: 'search_text' },
};

export const insertIndexedWords: Insert = {
  table: 'indexed_trace_words',
  columns: { rowid: 'int', words: 'text' },
  singly: true,
};

const INDEXED = fragment(Object.keys(insertIndexedTraces.columns).join(', '));

const among = (seqs: Sql): Sql => sql`IN (SELECT CAST(value AS BIGINT) FROM ${seqs})`;

export function deleteIndexed(tx: Transaction, accountId: string, seqs: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM indexed_traces WHERE account_id = ${accountId} AND seq ${among(seqs)}`);
}

/** On SQLite, by their places in its index. */
export function deleteIndexedWords(tx: Transaction, rowids: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM indexed_trace_words WHERE rowid ${among(rowids)}`);
}

export async function listIndexedOf(query: Query, accountId: string, agentId: string): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM indexed_traces WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
  return rows.map(({ seq }) => seq);
}

/** Newest first. */
export function listIndexed(query: Query, accountId: string, seqs: Sql): Promise<IndexedTraceRow[]> {
  return query.all<IndexedTraceRow>(
    sql`SELECT ${INDEXED} FROM indexed_traces WHERE account_id = ${accountId} AND seq ${among(seqs)} ORDER BY seq DESC`,
  );
}

/** A trace by number, with what decides who may see it. */
export type PlacedTraceRow = Pick<IndexedTraceRow, 'seq' | 'agent_id' | 'branch' | 'visible_to'>;

/** Those of the traces that are on a branch, newest first. */
export function listPlaced(
  query: Query,
  accountId: string,
  { seqs, branch }: { seqs: Sql; branch: string },
): Promise<PlacedTraceRow[]> {
  return query.all<PlacedTraceRow>(
    sql`SELECT seq, agent_id, branch, visible_to FROM indexed_traces WHERE account_id = ${accountId} AND seq ${among(seqs)}
          AND branch = ${branch} ORDER BY seq DESC`,
  );
}

/** A part of the log from one `seq` up to, but not including, another. */
export type SeqRange = { from: number; before: number };
type NumberedAccount = { account_id: string; number: number };
type IndexedMatches = {
  account: NumberedAccount;
  range: SeqRange;
  /** Undefined: all traces. */
  expression: string | undefined;
  limit: number;
  oldest_first?: boolean;
};

/** The newest, or the oldest, traces of a part of the log whose words match. */
export async function listMatching(
  query: Query,
  { engine }: Dialect,
  { account, range, expression, limit, oldest_first = false }: IndexedMatches,
): Promise<number[]> {
  const { from, before } = range;
  if (before <= from) return [];
  const { account_id, number } = account;
  const order = fragment(oldest_first ? 'ASC' : 'DESC');
  if (expression === undefined) {
    const rows = await query.all<{ seq: number }>(
      sql`SELECT seq FROM indexed_traces WHERE account_id = ${account_id} AND seq >= ${from} AND seq < ${before}
          ORDER BY seq ${order} LIMIT ${limit}`,
    );
    return rows.map(({ seq }) => seq);
  }
  if (engine === 'sqlite') {
    const rows = await query.all<{ seq: number }>(
      sql`SELECT rowid - ${rowidOf(number, 0)} AS seq FROM indexed_trace_words WHERE indexed_trace_words MATCH ${expression}
          AND rowid >= ${rowidOf(number, from)} AND rowid < ${rowidOf(number, before)} ORDER BY rowid ${order} LIMIT ${limit}`,
    );
    return rows.map(({ seq }) => seq);
  }
  const words = sql`SELECT account_id, seq FROM words_of_indexed_traces`;
  // Counted from the other end, the oldest are the newest.
  const ends = from + before - 1;
  const turned = (seq: number) => (oldest_first ? ends - seq : seq);
  const shown = oldest_first ? sql`${ends} - seq AS seq` : sql`seq`;
  const find = async (window: SeqWindow, most: number): Promise<FoundMatch[]> => {
    if (window.to < from) return [];
    const [one, other] = [turned(Math.max(window.from, from)), turned(window.to)];
    const inRange = { from: Math.min(one, other), to: Math.max(one, other) };
    const read = sql`SELECT ${shown}, true AS passes ${matchingRows({ account_id, words, expression, window: inRange })} LIMIT ${most}`;
    return query.all<FoundMatch>(newestOf(read, limit));
  };
  return (await findNewest({ newest: before - 1, limit, find })).seqs.map(turned);
}

type SomeIndexed = { account: NumberedAccount; seqs: readonly number[]; expression: string };

/**
 * Those of some traces whose words match. On SQLite each search for the next match goes past the traces before it, so that all of
 * them together read the words once at most: a search for one `rowid` reads on to the next match.
 */
export async function listHaving(
  query: Query,
  { engine, numbers }: Dialect,
  { account, seqs, expression }: SomeIndexed,
): Promise<number[]> {
  const { account_id, number } = account;
  if (engine === 'postgres') {
    const looked = sql`SELECT seq, search_words FROM indexed_traces WHERE account_id = ${account_id} AND seq ${among(numbers(seqs))} OFFSET 0`;
    const rows = await query.all<{ seq: number }>(
      sql`SELECT seq FROM (${looked}) AS looked WHERE search_words @@ (SELECT CAST(${expression} AS tsquery))`,
    );
    return rows.map(({ seq }) => seq);
  }
  const rowids = JSON.stringify(seqs.map((seq) => rowidOf(number, seq)).sort((a, b) => a - b));
  const at = sql`json_extract(${rowids}, '$[' || (i + 1) || ']')`;
  const match = sql`SELECT rowid FROM indexed_trace_words WHERE indexed_trace_words MATCH ${expression} AND rowid >= ${at} ORDER BY rowid LIMIT 1`;
  const rows = await query.all<{ seq: number }>(
    sql`WITH RECURSIVE looked(i, at, next) AS (
          SELECT -1, -1, -1
          UNION ALL
          SELECT i + 1, ${at}, CASE WHEN ${at} <= next THEN next ELSE (${match}) END
          FROM looked WHERE next IS NOT NULL AND i + 1 < ${seqs.length})
        SELECT at - ${rowidOf(number, 0)} AS seq FROM looked WHERE at = next AND i >= 0`,
  );
  return rows.map(({ seq }) => seq);
}

const FIGURES = { cost: fragment('cost_usd'), duration: fragment('duration_ms') };
export type TraceFigure = keyof typeof FIGURES;
/** A trace in the order of a figure; null where it is not known. */
export type TracePlace = { value: number | null; seq: number };
type PlacedAfter = { figure: TraceFigure; after: TracePlace | undefined; limit: number };

/** The traces whose figure is known and that are after a place: the highest first, of equal ones the newest. */
export function listByFigure(
  query: Query,
  accountId: string,
  { figure, after, limit }: PlacedAfter,
): Promise<TracePlace[]> {
  const value = FIGURES[figure];
  const next = after ? sql`(${value}, seq) < (${after.value}, ${after.seq})` : sql`${value} IS NOT NULL`;
  return query.all<TracePlace>(
    sql`SELECT seq, ${value} AS value FROM indexed_traces WHERE account_id = ${accountId} AND ${next}
        ORDER BY ${value} DESC, seq DESC LIMIT ${limit}`,
  );
}

/** The newest traces before one whose figure is not known. */
export function listWithoutFigure(
  query: Query,
  accountId: string,
  { figure, before, limit }: { figure: TraceFigure; before: number; limit: number },
): Promise<TracePlace[]> {
  const value = FIGURES[figure];
  // Ordered by the figure too: so PostgreSQL sees that the index has this order.
  return query.all<TracePlace>(
    sql`SELECT seq, ${value} AS value FROM indexed_traces WHERE account_id = ${accountId} AND ${value} IS NULL AND seq < ${before}
        ORDER BY ${value} DESC, seq DESC LIMIT ${limit}`,
  );
}

/** The places of some traces in the order of a figure. */
export function listPlacesOf(
  query: Query,
  accountId: string,
  { figure, seqs }: { figure: TraceFigure; seqs: Sql },
): Promise<TracePlace[]> {
  return query.all<TracePlace>(
    sql`SELECT seq, ${FIGURES[figure]} AS value FROM indexed_traces WHERE account_id = ${accountId} AND seq ${among(seqs)}`,
  );
}

/** Up to which `seq` traces are indexed. */
export async function getIndexedSeq(query: Query, accountId: string, consumer: string): Promise<number> {
  const found = await query.get<{ seq: number }>(
    sql`SELECT seq FROM (${cursorSeq({ account_id: accountId, consumer })}) AS indexed`,
  );
  return found?.seq ?? 0;
}

type FiguresRow = Pick<IndexedTraceRow, 'agent_id' | 'branch' | 'visible_to' | 'duration_ms' | 'cost_usd'> & {
  facts: string | null;
};
export type TraceFigures = Pick<IndexedTraceRow, 'agent_id' | 'duration_ms'> & {
  /** Of the calls that have a price, where others have none. */
  known_cost_usd: number | null;
};

/** Of the newest traces of a part of the log: those on main that everyone may see. */
export async function listTraceFigures(
  query: Query,
  { account_id, from, before, limit }: SeqRange & { account_id: string; limit: number },
): Promise<{ figures: TraceFigures[]; complete: boolean }> {
  const rows = await query.all<FiguresRow>(
    sql`SELECT agent_id, branch, visible_to, duration_ms, cost_usd, CASE WHEN cost_usd IS NULL THEN facts END AS facts
        FROM indexed_traces WHERE account_id = ${account_id} AND seq >= ${from} AND seq < ${before}
        ORDER BY seq DESC LIMIT ${limit}`,
  );
  const figures = rows
    .filter(({ branch, visible_to }) => branch === MAIN_BRANCH && visible_to === EVERYONE)
    .map(({ agent_id, duration_ms, cost_usd, facts }) => {
      return { agent_id, duration_ms, known_cost_usd: facts === null ? cost_usd : knownCost(facts) };
    });
  return { figures, complete: rows.length < limit };
}

const knownCost = (facts: string): number | null => (JSON.parse(facts) as TraceFacets).known_cost_usd;
