import { type Glob, globsOf, type Input, matchesGlob, type Output } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  type AccountRow,
  AccountTurns,
  branchOf,
  cursorsOf,
  type EntryView,
  fromIso,
  type Handlers,
  isNewestOfOneBranch,
  noteQuery,
  pageBytes,
  type ReadContext,
  readAccount,
  reads,
  type Services,
  scopedGlobs,
  startWithin,
} from '../../kernel/index.ts';
import { countInScope } from '../counts/index.ts';
import {
  confidenceWithin,
  fadedMember,
  findDocuments,
  placesIn,
  quarantinedMember,
  shownIn,
  toEntry,
} from '../entries/index.ts';
import {
  type ColumnScope,
  type IndexState,
  type IsCovered,
  type MatchScope,
  parseQuery,
  readIndexState,
  readOverlay,
  type Term,
  withSoundWords,
} from '../text/index.ts';
import { byEvidence, MANY, placeOf, ranksOf } from './evidence.ts';
import { filePlaces, mostFew, rangesOf } from './file-places.ts';
import * as queries from './queries.ts';
import { orderBlocks } from './rules/evidence-order.ts';
import { findByScan, type ScannedHits } from './scan-search.ts';
import { findByText, type SearchHit, type TextMatch } from './text-search.ts';

export type SearchInput = Input<'entries.search'>;
type ScoredEntry = Output<'entries.search'>['entries'][number];

const MAX_SCANNED_BYTES = 16 * 1024 * 1024;
const MAX_WAITING_SCANS = 8;

const SORT_COLUMNS = { confidence: 'confidence', recency: 'seq', version: 'version' } as const;

const cursors = cursorsOf('entries.search', ['number']);

const search = reads<'entries.search'>(async (context, input) => {
  const { services, now } = context;
  const keyScope = services.limits.max_scanned_entries;
  const start = input.cursor === undefined ? 0 : cursors.from(input.cursor)[0];
  const end = Math.min(start + input.limit, keyScope);
  const isText = Boolean(input.query?.trim());
  const find = isText ? byText : byFilter;
  const { hits, truncated } = await find(context, input, end + 1);
  const page = startWithin(hits.slice(start, end), pageBytes(services), ({ row }) => row.document_bytes);
  const next = start + page.length;
  const beyond = hits.length > next;
  const has_more = beyond && next < keyScope;
  const shown = await withDocuments(context, page);
  const isPrivate = shown.some(({ row }) => row.shared === 0);
  noteQuery(context, 'search', { input, result_count: shown.length, isPrivate, shown: shown.map(({ row }) => row) });
  // The best result counts as recalled, but only a read, or the caller's word, shows that it was used.
  if (isText && start === 0 && shown[0]) context.note({ kind: 'recall', entry_id: shown[0].row.entry_id });
  return {
    entries: shown.map(({ row, score }) =>
      toEntry<ScoredEntry>(row, `${fadedMember(services, row, now)}${quarantinedMember(row)},"score":${score}`),
    ),
    truncated: truncated || (beyond && !has_more),
    has_more,
    next_cursor: has_more ? cursors.to([next]) : null,
  };
});

type ShownHit = SearchHit & { row: queries.SizedKey & { document: string } };

/** Loads the documents that the search left out. */
async function withDocuments({ scan, view }: ReadContext, hits: readonly SearchHit[]): Promise<ShownHit[]> {
  const missing = hits.filter(({ row }) => typeof row.document !== 'string').map(({ row }) => row);
  const documents = missing.length === 0 ? [] : await findDocuments(scan, view.account_id, missing);
  const loaded = new Map(missing.map((row, i) => [row, documents[i]]));
  return hits.flatMap(({ row, score }) => {
    const document = row.document ?? loaded.get(row);
    return document === undefined ? [] : [{ row: { ...row, document }, score }];
  });
}

export type SearchHits = { hits: SearchHit[]; truncated: boolean };

async function byText(context: ReadContext, input: SearchInput, wanted: number): Promise<SearchHits> {
  const { services } = context;
  const terms = parseQuery(input.query ?? '');
  if (terms.length === 0) return { hits: [], truncated: false };
  const sort = input.sort_by ?? 'relevance';
  const most = services.limits.max_scanned_entries + 1;
  const { hits, truncated } = await byIndex(context, input, {
    terms,
    sort,
    wanted: sort === 'relevance' ? wanted : most,
  });
  if (sort === 'relevance') return { hits: hits.slice(0, wanted), truncated };
  const column = SORT_COLUMNS[sort];
  const rankOf = sort === 'confidence' ? ranksOf(hits) : () => 0;
  hits.sort((a, b) => rankOf(b) - rankOf(a) || b.row[column] - a.row[column] || b.row.seq - a.row.seq);
  return { hits: hits.slice(0, wanted), truncated: truncated || hits.length === most };
}

export type Wanted = { terms: readonly Term[]; wanted: number; sort: NonNullable<SearchInput['sort_by']> };

const byIndex = (context: ReadContext, input: SearchInput, wanted: Wanted): Promise<SearchHits> =>
  withSoundWords(context.services, () => searchIndex(context, input, wanted));

async function searchIndex(context: ReadContext, input: SearchInput, asked: Wanted): Promise<SearchHits> {
  const { scan, read } = context;
  const found = await matchScopeOf(context, input);
  if (!found) return isNewestOfOneBranch(context.view) ? NO_HITS : byScan(context, input, asked);
  const { account, scope, view } = found;
  const { terms, wanted, sort } = asked;
  const fetch = fetchIn(context, input);
  const size = view.scope ? await countInScope(scan, view) : account.seq;
  const end = { seq: account.seq, stamp: account.seq_stamp };
  const order =
    sort === 'relevance'
      ? (matches: readonly TextMatch[], wanted: number) => byEvidence(context, matches, { end, wanted })
      : undefined;
  return findByText({ read, scan }, scope, { terms, size, fetch, wanted, order });
}

/** Loads those of the entries with some `seq` that pass the filters, in any order. */
export function fetchIn(
  context: ReadContext,
  input: SearchInput,
): (seqs: readonly number[]) => Promise<queries.FoundRow[]> {
  const { view, scan, read } = context;
  const candidates = candidatesOf(context, input);
  return (seqs) =>
    queries.getEntriesBySeq(seqs.length > MANY ? scan : read, view, {
      ...candidates,
      seqs,
      short: shortOf(context, seqs.length),
    });
}

const NO_HITS: SearchHits = { hits: [], truncated: false };

/** Where a search finds words: `view` is that of the index, which has the newest rows of one branch. */
type FoundScope = { account: AccountRow; scope: MatchScope; view: EntryView };

/** Where a search finds the words of entries. Undefined where the index is of no use for what the view shows. */
export async function matchScopeOf(context: ReadContext, input: SearchInput): Promise<FoundScope | undefined> {
  const account = await readAccount(context.read, context.view.account_id);
  if (!account) return undefined;
  if (!isNewestOfOneBranch(context.view)) return overlaidScope(context, input, account);
  const index = await readIndexState(context, account);
  const column = context.dialect.engine === 'postgres' ? await columnScope(context, input, account.seq) : undefined;
  return { account, scope: indexScope(context, input, { account, index, column }), view: context.view };
}

type IndexParts = { account: AccountRow; index: IndexState | undefined; column: ColumnScope | undefined };

function indexScope(context: ReadContext, input: SearchInput, { account, index, column }: IndexParts): MatchScope {
  const { view, dialect, services } = context;
  const paths = globsOf(input);
  const scoped = index && filePlaces(context, undefined, { number: account.number, index });
  return {
    engine: dialect.engine,
    account_id: view.account_id,
    account: account.number,
    most: services.limits.max_looked_at_matches,
    view: view.scope && view,
    index,
    places: index && paths ? filePlaces(context, paths, { number: account.number, index }) : scoped,
    scoped,
    column,
  };
}

/** Of a branch that inherits from others, or of an earlier state: the index, and what differs from it. */
async function overlaidScope(
  context: ReadContext,
  input: SearchInput,
  account: AccountRow,
): Promise<FoundScope | undefined> {
  const overlay = await readOverlay(context, account);
  if (!overlay) return undefined;
  const { base, index, ...beside } = overlay;
  const based = { ...context, view: base };
  const column = index ? undefined : await columnScope(based, input, beside.floor);
  const filters = column && [...column.filters, sql`seq <= ${beside.floor}`];
  const scope = indexScope(based, input, { account, index, column: column && { ...column, filters: filters ?? [] } });
  const isCounted = coveredBy(scopedGlobs(base.scope, undefined));
  const isShown = coveredBy(scopedGlobs(base.scope, globsOf(input)));
  return { account, scope: { ...scope, overlay: { ...beside, isCounted, isShown } }, view: base };
}

const coveredBy = (globs: readonly Glob[]): IsCovered =>
  globs.some(({ kind }) => kind === 'all')
    ? undefined
    : ({ entity_path }) => globs.some((glob) => matchesGlob(glob, entity_path));

/** Filters on columns beside the words are applied to matches as they are read. */
export async function columnScope(context: ReadContext, input: SearchInput, newest: number): Promise<ColumnScope> {
  const { view, read, services } = context;
  const paths = globsOf(input);
  const ranges = rangesOf(view, paths);
  const isFew = ranges !== undefined && (await queries.hasFewIn(read, view, { ranges, most: mostFew(services) }));
  return {
    newest,
    globs: scopedGlobs(view.scope, paths),
    few: isFew ? ranges.map((range) => [branchIs(view), ...range]) : undefined,
    filters: [...placesIn(view, paths), shownIn(view), ...headFilters(context, input)],
  };
}

const branchIs = (view: EntryView): Sql => sql`branch = ${branchOf(view)}`;

/**
 * Documents of up to this size come with their rows, which all together are no more than a page; longer ones are loaded for
 * the page alone.
 */
const shortOf = ({ services }: ReadContext, rows: number): number => Math.floor(pageBytes(services) / rows);

/** One per service. */
const scanTurns = new WeakMap<Services, AccountTurns>();
function turnsOf(services: Services): AccountTurns {
  const known = scanTurns.get(services) ?? new AccountTurns(MAX_WAITING_SCANS, 'searches of earlier states');
  scanTurns.set(services, known);
  return known;
}

export async function byScan(context: ReadContext, input: SearchInput, { terms, sort }: Wanted): Promise<ScannedHits> {
  const { view, scan, services } = context;
  const { max_scanned_entries, max_scanned_bytes = MAX_SCANNED_BYTES } = services.limits;
  const search = { ...candidatesOf(context, input), terms, scan: max_scanned_entries, bytes: max_scanned_bytes };
  const found = await turnsOf(services).run(view.account_id, () => findByScan(scan, view, search));
  if (sort !== 'relevance') return found;
  return { ...found, hits: orderBlocks(found.hits, ({ row, score }) => placeOf(row, score)) };
}

export async function byFilter(context: ReadContext, input: SearchInput, wanted: number): Promise<SearchHits> {
  const { view, scan, services } = context;
  const sort = input.sort_by === undefined || input.sort_by === 'relevance' ? 'confidence' : input.sort_by;
  const page: queries.FilterPage = {
    ...candidatesOf(context, input),
    scan: services.limits.max_scanned_entries,
    sort: SORT_COLUMNS[sort],
    limit: wanted,
    short: shortOf(context, wanted),
    // Entries in scope are found by path, however small the scope is.
    ordered: input.entity_path === undefined && view.scope === undefined ? 'recent' : 'path',
  };
  const rows = await queries.listByFilter(scan, view, page);
  return {
    hits: rows.map((row) => ({ row, score: null })),
    truncated: await queries.hasMoreToScan(scan, view, page),
  };
}

export const candidatesOf = (context: ReadContext, input: SearchInput): queries.SearchCandidates => ({
  paths: globsOf(input),
  filters: filters(context, input),
});

const filters = (context: ReadContext, input: SearchInput): Sql[] => [
  ...confidenceWithin(context.services, input, context.now),
  ...headFilters(context, input),
];

/** Those on what the newest version says, not on what became of it. */
function headFilters({ dialect }: ReadContext, input: SearchInput): Sql[] {
  const where: Sql[] = [];
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  if (input.memory_type !== undefined) where.push(sql`memory_type = ${input.memory_type}`);
  if (input.since !== undefined) where.push(sql`written_at >= ${fromIso(input.since)}`);
  if (input.until !== undefined) where.push(sql`written_at < ${fromIso(input.until)}`);
  if (!input.include_artifacts) where.push(sql`is_artifact = 0`);
  if (input.pattern_ref !== undefined) where.push(queries.hasPatternRef(dialect.engine, input.pattern_ref));
  return where;
}

export const handlers: Handlers = { 'entries.search': search };
