import { Fault, traceShapes } from '@mem-service/contract';
import type { Dialect, Query } from '../../db/index.ts';
import {
  applyReads,
  bytesOfTexts,
  isInScope,
  requireRoom,
  type Scope,
  startWithin,
  type Work,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { clearSession, countSession, loaded } from './counters.ts';
import { isLong, listParts, partsOfItems } from './item-parts.ts';
import type { SessionKey } from './queries.ts';
import * as queries from './queries.ts';
import { makeRoomForSession } from './readers.ts';
import { loadReads, type SessionReadRow } from './reads.ts';

/** Everything that an open session holds. */
export type OpenSession = {
  row: queries.SessionRow | undefined;
  reads: SessionReadRow[];
  items: queries.ItemRow[];
};

/** The part of a session within a key's scope: another key may have read and asked for more in it. */
export function sessionInScope(scope: Scope | undefined, { row, reads, items }: OpenSession): OpenSession {
  if (scope === undefined) return { row, reads, items };
  return {
    row,
    reads: reads.filter(({ entity_path }) => isInScope(scope, entity_path)),
    items: items
      .filter((item) => isItemInScope(scope, item))
      .map((item) => (isAttemptHidden(scope, item, { reads, items }) ? withoutSummary(item) : item)),
  };
}

/** A query without a path covered all paths. */
const isItemInScope = (scope: Scope, { kind, entity_path }: queries.ItemRow): boolean =>
  entity_path === null ? kind !== 'query' : isInScope(scope, entity_path);

/** Whether something that an attempt read is out of scope; of one that read nothing, whether anything is. */
function isAttemptHidden(
  scope: Scope,
  { kind, attempt }: queries.ItemRow,
  { reads, items }: Pick<OpenSession, 'reads' | 'items'>,
): boolean {
  if (kind !== 'attempt') return false;
  const isHidden = (list: readonly SessionReadRow[]) => list.some(({ entity_path }) => !isInScope(scope, entity_path));
  const tried = reads.filter((read) => read.attempt === attempt);
  if (tried.length > 0) return isHidden(tried);
  return isHidden(reads) || items.some((item) => !isItemInScope(scope, item));
}

const withoutSummary = (item: queries.ItemRow): queries.ItemRow => ({
  ...item,
  data: JSON.stringify({ ...JSON.parse(item.data), summary: null }),
});

export const newSession = (key: SessionKey, now: number): queries.SessionRow => ({
  opened_at: now,
  last_at: now,
  attempt: 0,
  reads: 0,
  last_page: 0,
  items: 0,
  actions: 0,
  truncated: 0,
  attributes: '{}',
  bytes: 0,
  recorded: 0,
  branch: null,
  ...key,
});

export async function loadSession(query: Query, key: SessionKey, dialect: Dialect): Promise<OpenSession> {
  const loading = Promise.all([getSession(query, key), loadReads(query, key)]);
  // On PostgreSQL all go out together, and rows arrive in turns with other requests.
  const isRead = dialect.engine === 'postgres';
  const [[row, reads], all] = await Promise.all([loading, isRead ? queries.listItems(query, key) : undefined]);
  return { row, reads, items: all ?? (await loadItems(query, key, { row, dialect })) };
}

/** Loads items in the order they happened; many or long ones in turns with other requests. */
async function loadItems(
  query: Query,
  key: SessionKey,
  { row, dialect }: { row: queries.SessionRow | undefined; dialect: Dialect },
): Promise<queries.ItemRow[]> {
  if (row === undefined || !isLong(row)) return queries.listItems(query, key);
  const items: queries.ItemRow[] = [];
  for (const numbers of await listParts(query, key, dialect)) {
    for (const item of await queries.listSomeItems(query, key, numbers)) items.push(item);
    await pause();
  }
  return items;
}

/** The same, without the later of its items where there are more than so many bytes of them. */
export async function loadSessionWithin(
  { read, scan }: { read: Query; scan: Query },
  key: SessionKey,
  { bytes, dialect }: { bytes: number; dialect: Dialect },
): Promise<OpenSession & { isCut: boolean }> {
  const row = await getSession(read, key);
  const query = row !== undefined && isLong(row) ? scan : read;
  const [reads, sizes] = await Promise.all([loadReads(query, key), queries.listItemSizes(query, key)]);
  const some = startWithin(sizes, bytes, (item) => item.bytes);
  const numbers = dialect.numbers(some.map(({ no }) => no));
  const items = some.length === 0 ? [] : await queries.listSomeItems(query, key, numbers);
  return { row, reads, items, isCut: some.length < sizes.length };
}

export const getSession = async (query: Query, key: SessionKey) => loaded(await queries.getSession(query, key));

const LARGE_ITEMS = 2000;
const LARGE_BYTES = 4 * 1024 * 1024;

/** Whether sealing it changes so many pages that the commit takes long. */
export async function isLargeSession(query: Query, key: SessionKey): Promise<boolean> {
  const row = await queries.getSession(query, key);
  return row !== undefined && (row.items > LARGE_ITEMS || row.bytes > LARGE_BYTES);
}

/** Links an agent to its reads of its own entries; reads of other agents' entries were linked when they happened. */
export function linkOwnReads(work: Work, { reads }: Pick<OpenSession, 'reads'>): void {
  const own = reads.filter(({ written_by, agent_id }) => written_by === agent_id);
  applyReads(
    work,
    own.map((read) => ({ count: 1, ...read })),
  );
}

/** Ends a session that was sealed. Often there is nothing to delete: a caller that names its causes need not read them. */
export async function endSession(work: Work, key: SessionKey, session: OpenSession): Promise<void> {
  linkOwnReads(work, session);
  if (session.row || session.reads.length > 0 || session.items.length > 0)
    await clearSession(work, session.row ?? newSession(key, work.now));
}

/** Returns the row of the session that a caller writes to; creates it where it is missing. */
export async function openSession(work: Work, key: SessionKey): Promise<queries.SessionRow> {
  const row = await getSession(work.tx, key);
  if (!row) await makeRoomForSession(work);
  return row ?? newSession(key, work.now);
}

export function saveSession(work: Work, row: queries.SessionRow): void {
  row.last_at = work.now;
  row.recorded = 1;
  countSession(work, row);
  work.send(work.tx.insertMany(queries.upsertSessions, [row]));
}

const { MAX_ITEMS, MAX_SESSION_BYTES } = traceShapes;

/** The room that is left in a session. */
export const roomIn = (
  { items, bytes }: Pick<queries.SessionRow, 'items' | 'bytes'>,
  { limits }: Work['services'],
) => ({
  items: MAX_ITEMS - items,
  bytes: (limits.max_session_bytes ?? MAX_SESSION_BYTES) - bytes,
});

export const SESSION_FULL = `the session is full (${MAX_ITEMS.toLocaleString('en')} records or ${MAX_SESSION_BYTES / 2 ** 20} MiB): commit an outcome to start a new one`;

/** `data` is an object, or JSON text. */
export type NewItem = { kind: queries.ItemKind; entity_path?: string | null; data: object | string };

/** Appends to a session. Returns the number of the item. */
export function addItem(work: Work, row: queries.SessionRow, { data, ...item }: NewItem): number {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const room = roomIn(row, work.services);
  if (room.items < 1 || room.bytes < bytesOfTexts([text])) throw new Fault('conflict', SESSION_FULL);
  return addItems(work, row, [{ ...item, data: text }])[0] as number;
}

/** Appends items, for which the caller has checked that there is room. Returns their numbers. */
export function addItems(work: Work, row: queries.SessionRow, items: readonly NewItem[]): number[] {
  const texts = items.map(({ data }) => (typeof data === 'string' ? data : JSON.stringify(data)));
  const bytes = bytesOfTexts(texts);
  requireRoom(work, { bytes });
  row.items += items.length;
  row.bytes += bytes;
  const { account_id, agent_id, session, attempt } = row;
  const rows = items.map(({ kind, entity_path = null }, i) => ({
    account_id,
    agent_id,
    session,
    no: work.nextItem(),
    kind,
    attempt,
    at: work.now,
    entity_path,
    data: texts[i] as string,
  }));
  if (rows.length > 0) work.send(work.tx.insertMany(queries.insertItems, rows));
  return rows.map(({ no }) => no);
}

/** Moves items from one session to another. Sealed items stay where they are. */
export async function moveItems(
  work: Work,
  { from, to }: { from: SessionKey; to: SessionKey },
  numbers: readonly number[],
): Promise<void> {
  const [source, target] = await Promise.all([openSession(work, from), openSession(work, to)]);
  const moved = await moveInParts(work, { from, to: target }, new Set(numbers));
  if (moved === 0) return;
  const isEmpty = source.items === moved && source.reads === 0 && source.attributes === '{}';
  // Of a session that keeps some of its items, the share of these is estimated: both add up to what they had.
  const bytes = isEmpty ? source.bytes : Math.round((source.bytes * moved) / Math.max(moved, source.items));
  source.items -= moved;
  source.bytes -= bytes;
  target.items += moved;
  target.bytes += bytes;
  saveSession(work, target);
  if (isEmpty) await clearSession(work, source);
  else saveSession(work, source);
}

type MovedItems = { from: SessionKey; to: queries.SessionRow };

async function moveInParts({ tx, dialect }: Work, moved: MovedItems, numbers: ReadonlySet<number>): Promise<number> {
  const sizes = await queries.listItemSizes(tx, moved.from);
  let count = 0;
  const wanted = sizes.filter(({ no }) => numbers.has(no));
  for (const some of partsOfItems(wanted, dialect)) count += await queries.moveItems(tx, moved, some);
  return count;
}
