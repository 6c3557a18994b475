import { type Glob, type Input, parseGlob } from '@mem-service/contract';
import { joinSql, type Sql, sql } from '../../db/index.ts';
import {
  fromCursor,
  fromIso,
  type Handlers,
  pathWithin,
  type ReadContext,
  readAccount,
  reads,
  toCursor,
} from '../../kernel/index.ts';
import { type EntryRow, liveAt, SCAN_LIMIT, toEntry, visibleTo } from '../entries/index.ts';
import { parseQuery } from '../text/index.ts';
import * as queries from './queries.ts';
import { findByText, type Hit } from './text-search.ts';

type Search = Input<'entries.search'>;

const SORT_COLUMNS = { confidence: 'confidence', recency: 'seq', version: 'version' } as const;

const search = reads<'entries.search'>(async (context, input) => {
  const offset = input.cursor ? (fromCursor(input.cursor, ['number'])[0] as number) : 0;
  const wanted = offset + input.limit + 1;
  const found = input.query?.trim() ? await byText(context, input, wanted) : await byFilter(context, input, wanted);
  const hits = found.hits.slice(offset, offset + input.limit);
  const has_more = found.hits.length === wanted;
  return {
    entries: hits.map(({ row, score }) => ({ ...toEntry(row), score })),
    truncated: found.truncated,
    has_more,
    next_cursor: has_more ? toCursor([offset + input.limit]) : null,
  };
});

type Found = { hits: Hit[]; truncated: boolean };

async function byText(context: ReadContext, input: Search, wanted: number): Promise<Found> {
  const { caller, scan, dialect } = context;
  const account = await readAccount(context.read, caller.account_id);
  const terms = parseQuery(input.query ?? '');
  if (!account || terms.length === 0) return { hits: [], truncated: false };
  const scope = { engine: dialect.engine, account_id: caller.account_id, account: account.number };
  const fetch = (seqs: readonly number[]) =>
    queries.getEntriesBySeq(scan, dialect.texts(seqs.map(String)), {
      account_id: caller.account_id,
      branch: input.branch,
      filters: [...places(input), ...filters(context, input)],
    });
  const sort = input.sort_by ?? 'relevance';
  if (sort === 'relevance') return findByText(scan, scope, { terms, size: account.seq, wanted, fetch });
  const { hits, truncated } = await findByText(scan, scope, { terms, size: account.seq, wanted: SCAN_LIMIT, fetch });
  const column = SORT_COLUMNS[sort];
  hits.sort((a, b) => b.row[column] - a.row[column] || b.row.seq - a.row.seq);
  return { hits: hits.slice(0, wanted), truncated: truncated || hits.length === SCAN_LIMIT };
}

async function byFilter(context: ReadContext, input: Search, wanted: number): Promise<Found> {
  const { caller, scan } = context;
  const sort = input.sort_by === undefined || input.sort_by === 'relevance' ? 'confidence' : input.sort_by;
  const within = {
    account_id: caller.account_id,
    branch: input.branch,
    where: places(input),
    filters: filters(context, input),
  };
  const page: queries.FilterPage = {
    scan: SCAN_LIMIT,
    sort: SORT_COLUMNS[sort],
    limit: wanted,
    offset: 0,
    ordered: input.entity_path === undefined ? 'recent' : 'path',
  };
  const rows = await queries.listByFilter(scan, within, page);
  return {
    hits: rows.map((row: EntryRow) => ({ row, score: null })),
    truncated: await queries.reachesBeyond(scan, within, page),
  };
}

function places(input: Search): Sql[] {
  if (input.entity_path === undefined) return [];
  const glob = parseGlob(input.entity_path) as Glob;
  if (!input.include_descendants || glob.kind !== 'exact') return pathWithin(glob);
  const below = pathWithin({ kind: 'below', base: glob.path });
  return [sql`(entity_path = ${glob.path} OR (${joinSql(below, ' AND ')}))`];
}

function filters({ caller, now }: ReadContext, input: Search): Sql[] {
  const where = [visibleTo(caller.agent_id), liveAt(now)];
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  if (input.memory_type !== undefined) where.push(sql`memory_type = ${input.memory_type}`);
  if (input.min_confidence !== undefined) where.push(sql`confidence >= ${input.min_confidence}`);
  if (input.max_confidence !== undefined) where.push(sql`confidence <= ${input.max_confidence}`);
  if (input.since !== undefined) where.push(sql`written_at >= ${fromIso(input.since)}`);
  if (input.until !== undefined) where.push(sql`written_at < ${fromIso(input.until)}`);
  if (!input.include_artifacts) where.push(sql`is_artifact = 0`);
  if (input.pattern_ref !== undefined) where.push(hasRef(input.pattern_ref));
  return where;
}

/** References are a JSON list in a text column, written by JSON.stringify: the quoted text stands in it as it is. */
function hasRef(ref: string): Sql {
  const pattern = `%${JSON.stringify(ref).replace(/[\\%_]/g, '\\$&')}%`;
  return sql`pattern_refs LIKE ${pattern} ESCAPE '\\'`;
}

export const handlers: Handlers = { 'entries.search': search };
