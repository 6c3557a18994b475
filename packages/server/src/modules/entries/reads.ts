import { Fault, globsOf, type Input, listOrderOf } from '@mem-service/contract';
import { type FirstRows, type Query, type Sql, sql } from '../../db/index.ts';
import {
  anyGlobCondition,
  branchOf,
  cursorsOf,
  cutPage,
  type EntryView,
  EVERYONE,
  fromIso,
  globConditions,
  type Handlers,
  isNewestOfOneBranch,
  noteQuery,
  pageBytes,
  type ReadContext,
  type ReadNote,
  reads,
  scopeConditions,
  scopedPathRanges,
  seqAt,
} from '../../kernel/index.ts';
import { confidenceWithin, fadedMember } from './effective.ts';
import { hasEvidence, listNumbersWithEvidence } from './evidence-sql.ts';
import { toMeta } from './meta.ts';
import * as queries from './queries.ts';
import { type EntryRow, quarantinedMember, toEntry, toReadEntry, toVersion, type VersionRow } from './rows.ts';
import { isLive, isShown, mayAgentSee } from './rules/next.ts';
import { QUARANTINED } from './rules/state.ts';
import { getVersion, getVersionAt, getVersionCount, listVersions } from './version-queries.ts';

export function notFound({ entity_path, key }: queries.EntryKey, version?: number): Fault {
  const which = version === undefined ? '' : ` version ${version}`;
  return new Fault('not_found', `there is no entry ${entity_path}/${key}${which}`, { entity_path, key });
}

/** Returns an old version that the caller may see, unless it had already expired at that time. */
async function findOld(context: ReadContext, input: Input<'entries.read'>): Promise<VersionRow | undefined> {
  const { read, view } = context;
  const { entity_path, key, version } = input;
  const seen = (row: VersionRow | undefined) => (row && mayAgentSee(row, view.agent_id) ? row : undefined);
  if (version !== undefined) {
    const row = seen(await getVersion(read, view, { entity_path, key, version }));
    return row?.deleted === 1 ? undefined : row;
  }
  const time = fromIso(input.as_of as string);
  const row = seen(await getVersionAt(read, view, { entity_path, key, time }));
  return isLive(row, time) ? row : undefined;
}

/** Returns the row in any state. The path that the caller named was checked against the scope before. */
const findHead = ({ find, view }: ReadContext, branch: string, { entity_path, key }: queries.EntryKey) =>
  find<queries.ReadEntryRow>(queries.readEntry, [view.account_id, branch, entity_path, key]);

/**
 * The row that a view of several branches shows, found among rows that the store may know without reading them. Undefined where it
 * changed after a fork, or nothing is found: then `getReadEntry` looks for what it was.
 */
async function findUnchanged(context: ReadContext, at: queries.EntryKey): Promise<queries.ReadEntryRow | undefined> {
  for (const { branch, up_to_seq } of context.view.lineage) {
    const row = await findHead(context, branch, at);
    if (!row || (up_to_seq !== null && row.entry_id > up_to_seq)) continue;
    const isOfThen = up_to_seq === null || (row.seq <= up_to_seq && (row.line_seq ?? 0) <= up_to_seq);
    return isOfThen ? row : undefined;
  }
  return undefined;
}

/** One look-up of several rows is better where each is a round trip. */
async function findInLineage(context: ReadContext, at: queries.EntryKey): Promise<queries.ReadEntryRow | undefined> {
  const known = context.dialect.engine === 'sqlite' ? await findUnchanged(context, at) : undefined;
  return known ?? queries.getReadEntry(context.read, context.view, at);
}

const read = reads<'entries.read'>(async (context, input) => {
  if (input.version === undefined && input.as_of === undefined) {
    const { view, now } = context;
    const is_current = isNewestOfOneBranch(view);
    const row = await (is_current ? findHead(context, branchOf(view), input) : findInLineage(context, input));
    // A row that was read for another caller: who may see it when is decided for each request.
    if (!isShown(row, view) || !mayAgentSee(row, view.agent_id)) throw notFound(input);
    context.note(readNoteOf(context, input, { row, is_current }));
    return toReadEntry(row, `${fadedMember(context.services, row, now)}${quarantinedMember(row)}`);
  }
  const old = await findOld(context, input);
  if (!old) throw notFound(input, input.version);
  const row = { ...old, standing: null };
  context.note(readNoteOf(context, input, { row, is_current: false }));
  return toVersion(old);
});

type NotedRow = Pick<ReadNote, 'is_current'> & {
  row: Pick<EntryRow, 'entry_id' | 'version' | 'confidence' | 'standing' | 'agent_id' | 'shared'>;
};

/** The note of a session about an entry that it was shown. */
function readNoteOf({ elapsed, now, view }: ReadContext, at: queries.EntryKey, seen: NotedRow): ReadNote {
  const { row, is_current } = seen;
  const { entry_id, version, confidence, standing, agent_id, shared } = row;
  const { entity_path, key } = at;
  return {
    kind: 'read',
    at: now,
    entry_id,
    version,
    branch: branchOf(view),
    entity_path,
    key,
    visible_to: shared === 1 ? EVERYONE : agent_id,
    written_by: agent_id,
    confidence,
    standing,
    is_current,
    duration_ms: elapsed(),
  };
}

const versionCursors = cursorsOf('entries.history', ['number']);

const history = reads<'entries.history'>(async (context, input) => {
  const { entity_path, key } = input;
  const all = { entity_path, key, before: Number.MAX_SAFE_INTEGER, since: 0, until: Number.MAX_SAFE_INTEGER };
  const page = { ...all, limit: input.limit + 1, bytes: pageBytes(context.services) };
  if (input.cursor !== undefined) [page.before] = versionCursors.from(input.cursor);
  if (input.since !== undefined) page.since = fromIso(input.since);
  if (input.until !== undefined) page.until = fromIso(input.until);
  const view: EntryView = { ...context.view, with_quarantined: true };
  const newest = await getVersionCount(context.read, view, input);
  if (newest === undefined) throw notFound(input);
  const found = await listVersions(context.read, view, page);
  const { items, ...rest } = cutPage(found, input.limit, (row) => versionCursors.to([row.version]));
  const mark = newest.deleted === QUARANTINED ? { quarantined: true as const } : {};
  const versions = items.map((row) => toVersion(row));
  return { entity_path, key, version_count: newest.version, ...mark, versions, ...rest };
});

const list = reads<'entries.list'>(async (context, input) => {
  const isMeta = input.fields === 'meta';
  const { found, end, cursorAt } = await (isMeta
    ? findPage(context, input, queries.listEntryKeys)
    : findPage(context, input, queries.listEntries));
  const { items, next_cursor, has_more } = cutPage<ListedRow>(found, input.limit, cursorAt);
  const entries = isMeta ? await toMeta(context, items) : items.map((row) => showListed(context, row as EntryRow));
  const isPrivate = items.some(({ shared }) => shared === 0);
  noteQuery(context, 'list', { input, result_count: entries.length, isPrivate, shown: isMeta ? [] : items });
  if (has_more || !end) return { entries, next_cursor, has_more };
  return { entries, next_cursor: cursorAt(end), has_more: true };
});

type ListedRow = queries.EntryKeysRow & { document?: string };
type ListRows<T> = (query: Query, view: EntryView, page: queries.EntryScan) => Promise<FirstRows<T>>;

const showListed = ({ services, now }: ReadContext, row: EntryRow) =>
  toEntry(row, `${fadedMember(services, row, now)}${quarantinedMember(row)}`);

/** The rows of a page, and where it stopped looking if that was before the end. */
async function findPage<T extends ListedRow>(context: ReadContext, input: EntryListInput, listRows: ListRows<T>) {
  const { view, scan, services } = context;
  const order = listOrderOf(input);
  const where = await indexedFilters(context, input);
  const { from, upTo, cursorAt } = listOrders[order];
  const page = {
    range: input.cursor === undefined ? startOf(input) : [from(input.cursor)],
    // No index serves paths in the order of time: entries out of scope are scanned and left out.
    filters: [...plainFilters(context, input), ...(order === 'path' ? [] : scopeConditions(view.scope))],
    order,
    scan: services.limits.max_scanned_entries,
    limit: input.limit + 1,
    bytes: pageBytes(services),
    among: await rareNumbers(context, input),
  };
  const found: FirstRows<T> = { rows: [], more: false };
  let end: ListPosition | undefined;
  // The scope may consist of several ranges of paths; each is scanned separately, in the order of the page.
  for (const stretch of placesOf(view, input, order)) {
    const bytes = page.bytes - sizeOf(found.rows);
    const left = { ...page, where: [...stretch, ...where], limit: page.limit - found.rows.length, bytes };
    let next = await listRows(scan, view, left);
    const isFull = next.more || next.rows.length >= left.limit;
    end = isFull ? undefined : await queries.endOfScan(scan, view, left);
    // Reads again up to that end: entries may have been added or deleted meanwhile, and none may be skipped or returned
    // twice.
    if (end) next = await listRows(scan, view, { ...left, range: [...page.range, upTo(end)] });
    found.rows.push(...next.rows);
    found.more = next.more;
    if (end || found.more || found.rows.length > input.limit) break;
    found.more = sizeOf(found.rows) > page.bytes;
    if (found.more) break;
  }
  return { found, end, cursorAt };
}

const sizeOf = (rows: readonly ListedRow[]): number =>
  rows.reduce((sum, { document = '' }) => sum + Buffer.byteLength(document), 0);

type ListPosition = Pick<EntryRow, 'entity_path' | 'key' | 'seq'>;
type EntryOrder = { from(cursor: string): Sql; upTo(end: ListPosition): Sql; cursorAt(row: ListPosition): string };

const pathCursors = cursorsOf('entries.list path', ['string', 'string']);
const recentCursors = cursorsOf('entries.list recent', ['number']);

const listOrders: Record<queries.ListOrder, EntryOrder> = {
  path: {
    from(cursor) {
      const [path, key] = pathCursors.from(cursor);
      return sql`(entity_path, key) > (${path}, ${key})`;
    },
    upTo: (end) => sql`(entity_path, key) <= (${end.entity_path}, ${end.key})`,
    cursorAt: (row) => pathCursors.to([row.entity_path, row.key]),
  },
  recent: {
    from: (cursor) => sql`seq < ${recentCursors.from(cursor)[0]}`,
    upTo: (end) => sql`seq >= ${end.seq}`,
    cursorAt: (row) => recentCursors.to([row.seq]),
  },
};

type EntryListInput = Input<'entries.list'>;

/** The same form as that of a cursor, which the index by path serves; no key is empty. */
const startOf = ({ from_path }: EntryListInput): Sql[] =>
  from_path === undefined ? [] : [sql`(entity_path, key) > (${from_path}, ${''})`];

/** The ranges to scan, one after the other. */
function placesOf({ scope }: EntryView, input: EntryListInput, order: queries.ListOrder): Sql[][] {
  const globs = globsOf(input) ?? [];
  if (globs.length > 1 && order === 'recent') return [[anyGlobCondition(globs)]];
  if (globs.length > 1) return globs.flatMap((glob) => scopedPathRanges(scope, glob));
  return order === 'path' ? scopedPathRanges(scope, globs[0]) : [globConditions(globs[0])];
}

/** Filters that an index serves, so that they are cheap even when they match few entries. */
async function indexedFilters({ read, caller }: ReadContext, input: EntryListInput): Promise<Sql[]> {
  const where: Sql[] = [];
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (input.since) where.push(sql`seq >= ${await seqOf(input.since)}`);
  if (input.until) where.push(sql`seq < ${await seqOf(input.until)}`);
  return where;
}

/** More than these are found by a scan, which then does not have to look far. */
const MOST_RARE = 5000;

/** The entries with the evidence that is asked for, where they are few. */
async function rareNumbers({ read, view }: ReadContext, { evidence_status: status }: EntryListInput) {
  if (status === undefined || status === 'untested' || !isNewestOfOneBranch(view)) return undefined;
  const found = { account_id: view.account_id, status, limit: MOST_RARE + 1 };
  const numbers = await listNumbersWithEvidence(read, found);
  return numbers.length > MOST_RARE ? undefined : numbers;
}

function plainFilters({ services, now }: ReadContext, input: EntryListInput): Sql[] {
  const where = confidenceWithin(services, input, now);
  if (input.memory_type !== undefined) where.push(sql`memory_type = ${input.memory_type}`);
  if (input.evidence_status !== undefined) where.push(hasEvidence(input.evidence_status));
  return where;
}

export const readHandlers: Handlers = {
  'entries.read': read,
  'entries.history': history,
  'entries.list': list,
};
