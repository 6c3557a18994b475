import { Fault, type Input, parseGlob } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  cutPage,
  fromCursor,
  fromIso,
  type Handlers,
  pathWithin,
  type ReadContext,
  reads,
  seqAt,
  toCursor,
} from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { type EntryRow, toEntry, toVersion, type VersionRow } from './rows.ts';
import { isLive, mayAgentSee } from './rules/next.ts';

/** How many entries a filtered page looks at before it ends early. */
export const SCAN_LIMIT = 10_000;

type At = { branch: string; entity_path: string; key: string };
const addressOf = ({ caller }: ReadContext, { branch, entity_path, key }: At): queries.Address => ({
  account_id: caller.account_id,
  branch,
  entity_path,
  key,
});

export function notFound({ entity_path, key }: At, version?: number): Fault {
  const which = version === undefined ? '' : ` version ${version}`;
  return new Fault('not_found', `there is no entry ${entity_path}/${key}${which}`, { entity_path, key });
}

/** The current entry, when it is there and the caller may see it. */
export async function findVisible(context: ReadContext, at: At): Promise<EntryRow | undefined> {
  const row = await queries.getEntry(context.read, addressOf(context, at));
  return row && isLive(row, context.now) && mayAgentSee(row, context.caller.agent_id) ? row : undefined;
}

/** An old version the caller may see. One that had already expired was not there at that time. */
async function findOld(context: ReadContext, input: Input<'entries.read'>): Promise<VersionRow | undefined> {
  const at = addressOf(context, input);
  const seen = (row: VersionRow | undefined) => (row && mayAgentSee(row, context.caller.agent_id) ? row : undefined);
  if (input.version !== undefined) {
    const row = seen(await queries.getVersion(context.read, at, input.version));
    return row?.deleted === 1 ? undefined : row;
  }
  const time = fromIso(input.as_of as string);
  const row = seen(await queries.getVersionAt(context.read, at, time));
  return isLive(row, time) ? row : undefined;
}

const read = reads<'entries.read'>(async (context, input) => {
  if (input.version === undefined && input.as_of === undefined) {
    const row = await findVisible(context, input);
    if (!row) throw notFound(input);
    return toEntry(row);
  }
  const old = await findOld(context, input);
  if (!old) throw notFound(input, input.version);
  return toVersion(old);
});

const history = reads<'entries.history'>(async (context, input) => {
  const at = addressOf(context, input);
  const entry = await queries.getEntry(context.read, at);
  const before = input.cursor ? (fromCursor(input.cursor, ['number'])[0] as number) : Number.MAX_SAFE_INTEGER;
  const rows = await queries.listVersions(context.read, at, {
    agent_id: context.caller.agent_id,
    before,
    since: input.since ? fromIso(input.since) : 0,
    until: input.until ? fromIso(input.until) : Number.MAX_SAFE_INTEGER,
    limit: input.limit + 1,
  });
  const hidden = entry && isLive(entry, context.now) && !mayAgentSee(entry, context.caller.agent_id);
  if (!entry || (rows.length === 0 && hidden)) throw notFound(input);
  const { items, ...page } = cutPage(rows, input.limit, (row) => [row.version]);
  const { entity_path, key } = input;
  return { entity_path, key, version_count: entry.version, versions: items.map(toVersion), ...page };
});

const list = reads<'entries.list'>(async (context, input) => {
  const { caller, now } = context;
  const filter = { account_id: caller.account_id, branch: input.branch, where: await indexedFilters(context, input) };
  const page: queries.EntryScan = {
    from: startOf(input),
    filters: plainFilters(input, queries.visibleTo(caller.agent_id), queries.liveAt(now)),
    order: input.sort,
    scan: SCAN_LIMIT,
    limit: input.limit + 1,
  };
  const rows = await queries.listEntries(context.scan, filter, page);
  const position = (row: Pick<EntryRow, 'entity_path' | 'key' | 'seq'>) =>
    input.sort === 'path' ? [row.entity_path, row.key] : [row.seq];
  const { items, next_cursor, has_more } = cutPage(rows, input.limit, position);
  const entries = items.map(toEntry).map((entry) => (input.fields === 'meta' ? withoutValue(entry) : entry));
  if (has_more) return { entries, next_cursor, has_more };
  const end = rows.length < input.limit + 1 ? await queries.endOfScan(context.scan, filter, page) : undefined;
  return { entries, next_cursor: end ? toCursor(position(end)) : null, has_more: end !== undefined };
});

function withoutValue<T extends { value?: unknown; artifact_refs?: unknown }>({
  value: _,
  artifact_refs: __,
  ...meta
}: T) {
  return meta;
}

type Filters = Input<'entries.list'>;

/** Filters that an index serves, so that they cost nothing where they match little. */
async function indexedFilters({ read, caller }: ReadContext, input: Filters): Promise<Sql[]> {
  const where = pathWithin(input.entity_path === undefined ? undefined : parseGlob(input.entity_path));
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (input.since) where.push(sql`seq >= ${await seqOf(input.since)}`);
  if (input.until) where.push(sql`seq < ${await seqOf(input.until)}`);
  return where;
}

function plainFilters(input: Filters, visible: Sql, live: Sql): Sql[] {
  const where = [visible, live];
  if (input.memory_type !== undefined) where.push(sql`memory_type = ${input.memory_type}`);
  if (input.min_confidence !== undefined) where.push(sql`confidence >= ${input.min_confidence}`);
  if (input.max_confidence !== undefined) where.push(sql`confidence <= ${input.max_confidence}`);
  return where;
}

function startOf({ cursor, sort }: Filters): Sql[] {
  if (cursor === undefined) return [];
  if (sort === 'recent') return [sql`seq < ${fromCursor(cursor, ['number'])[0] as number}`];
  const [path, key] = fromCursor(cursor, ['string', 'string']) as [string, string];
  return [sql`(entity_path, key) > (${path}, ${key})`];
}

export const readHandlers: Handlers = {
  'entries.read': read,
  'entries.history': history,
  'entries.list': list,
};
