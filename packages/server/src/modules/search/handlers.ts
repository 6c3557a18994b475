import { type Glob, type Input, type Output, parseGlob } from '@mem-service/contract';
import { joinSql, type Sql, sql } from '../../db/index.ts';
import {
  cursorsOf,
  fromIso,
  type Handlers,
  noteQuery,
  pathsWithin,
  type ReadContext,
  readAccount,
  readReach,
  reads,
  withinReach,
} from '../../kernel/index.ts';
import { countWithin } from '../counts/index.ts';
import { confidenceWithin, fadedMember, liveAt, toEntry, visibleTo } from '../entries/index.ts';
import { parseQuery } from '../text/index.ts';
import * as queries from './queries.ts';
import { findByText, type Hit } from './text-search.ts';

type Search = Input<'entries.search'>;
type Scored = Output<'entries.search'>['entries'][number];

/** More rows than this are fetched off the main thread. */
const MANY = 200;

const SORT_COLUMNS = { confidence: 'confidence', recency: 'seq', version: 'version' } as const;

const cursors = cursorsOf('entries.search', ['number']);

const search = reads<'entries.search'>(async (context, input) => {
  const { services, now } = context;
  const reach = services.limits.max_scanned_entries;
  const start = input.cursor ? cursors.from(input.cursor)[0] : 0;
  const end = Math.min(start + input.limit, reach);
  const find = input.query?.trim() ? byText : byFilter;
  const { hits, truncated } = await find(context, input, end + 1);
  const beyond = hits.length > end;
  const has_more = beyond && end < reach;
  const shown = hits.slice(start, end);
  const isPrivate = shown.some(({ row }) => row.shared === 0);
  noteQuery(context, 'search', { input, result_count: shown.length, isPrivate });
  // What answers a question best counts as recalled, but only a read says that it was used.
  if (input.query?.trim() && start === 0 && shown[0]) context.note({ kind: 'recall', entry_id: shown[0].row.entry_id });
  return {
    entries: shown.map(({ row, score }) => toEntry<Scored>(row, `${fadedMember(services, row, now)},"score":${score}`)),
    truncated: truncated || (beyond && !has_more),
    has_more,
    next_cursor: has_more ? cursors.to([end]) : null,
  };
});

type Found = { hits: Hit[]; truncated: boolean };

async function byText(context: ReadContext, input: Search, wanted: number): Promise<Found> {
  const { caller, scan, dialect, services } = context;
  const account = await readAccount(context.read, caller.account_id);
  const terms = parseQuery(input.query ?? '');
  if (!account || terms.length === 0) return { hits: [], truncated: false };
  const reach = readReach(caller);
  const within = reach ? [sql`branch = ${input.branch}`, ...withinReach(reach)] : [];
  const scope = { engine: dialect.engine, account_id: caller.account_id, account: account.number, within };
  const fetch = (seqs: readonly number[]) =>
    queries.getEntriesBySeq(seqs.length > MANY ? scan : context.read, dialect.numbers(seqs), {
      account_id: caller.account_id,
      branch: input.branch,
      filters: [...places(context, input), ...filters(context, input)],
    });
  const sort = input.sort_by ?? 'relevance';
  const size = within.length === 0 ? account.seq : await countWithin(scan, caller.account_id, within);
  const text = { terms, size, fetch };
  const connections = { read: context.read, scan };
  if (sort === 'relevance') return findByText(connections, scope, { ...text, wanted });
  const most = services.limits.max_scanned_entries + 1;
  const { hits, truncated } = await findByText(connections, scope, { ...text, wanted: most });
  const column = SORT_COLUMNS[sort];
  hits.sort((a, b) => b.row[column] - a.row[column] || b.row.seq - a.row.seq);
  return { hits: hits.slice(0, wanted), truncated: truncated || hits.length === most };
}

async function byFilter(context: ReadContext, input: Search, wanted: number): Promise<Found> {
  const { caller, scan, services } = context;
  const sort = input.sort_by === undefined || input.sort_by === 'relevance' ? 'confidence' : input.sort_by;
  const within = {
    account_id: caller.account_id,
    branch: input.branch,
    where: places(context, input),
    filters: filters(context, input),
  };
  const page: queries.FilterPage = {
    scan: services.limits.max_scanned_entries,
    sort: SORT_COLUMNS[sort],
    limit: wanted,
    // What is within reach is found by its paths, however little of the account it is.
    ordered: input.entity_path === undefined && readReach(caller) === undefined ? 'recent' : 'path',
  };
  const rows = await queries.listByFilter(scan, within, page);
  return {
    hits: rows.map((row) => ({ row, score: null })),
    truncated: await queries.reachesBeyond(scan, within, page),
  };
}

function places({ caller }: ReadContext, input: Search): Sql[] {
  const reach = readReach(caller);
  const glob = input.entity_path === undefined ? undefined : (parseGlob(input.entity_path) as Glob);
  if (glob?.kind !== 'exact' || !input.include_descendants) return pathsWithin(reach, glob);
  const [here, below] = [pathsWithin(reach, glob), pathsWithin(reach, { kind: 'below', base: glob.path })];
  return [sql`(${joinSql(here, ' AND ')} OR (${joinSql(below, ' AND ')}))`];
}

function filters({ caller, now, dialect, services }: ReadContext, input: Search): Sql[] {
  const where = [visibleTo(caller.agent_id), liveAt(now)];
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  if (input.memory_type !== undefined) where.push(sql`memory_type = ${input.memory_type}`);
  where.push(...confidenceWithin(services, input, now));
  if (input.since !== undefined) where.push(sql`written_at >= ${fromIso(input.since)}`);
  if (input.until !== undefined) where.push(sql`written_at < ${fromIso(input.until)}`);
  if (!input.include_artifacts) where.push(sql`is_artifact = 0`);
  if (input.pattern_ref !== undefined) where.push(queries.carries(dialect.engine, input.pattern_ref));
  return where;
}

export const handlers: Handlers = { 'entries.search': search };
