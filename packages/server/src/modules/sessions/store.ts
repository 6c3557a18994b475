import { Fault, traceShapes } from '@mem-service/contract';
import type { Dialect, Query } from '../../db/index.ts';
import { applyReads, isInScope, type Scope, startWithin, type Work } from '../../kernel/index.ts';
import type { SessionKey } from './queries.ts';
import * as queries from './queries.ts';
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
    // A query without a path covered all paths.
    items: items.filter(({ kind, entity_path }) =>
      entity_path === null ? kind !== 'query' : isInScope(scope, entity_path),
    ),
  };
}

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
  ...key,
});

export async function loadSession(query: Query, key: SessionKey): Promise<OpenSession> {
  const [row, reads, items] = await Promise.all([
    queries.getSession(query, key),
    loadReads(query, key),
    queries.listItems(query, key),
  ]);
  return { row, reads, items };
}

/** The same, without the later of its items where there are more than so many bytes of them. */
export async function loadSessionWithin(
  query: Query,
  key: SessionKey,
  { bytes, dialect }: { bytes: number; dialect: Dialect },
): Promise<OpenSession & { isCut: boolean }> {
  const [row, reads, sizes] = await Promise.all([
    queries.getSession(query, key),
    loadReads(query, key),
    queries.listItemSizes(query, key),
  ]);
  const some = startWithin(sizes, bytes, (item) => item.bytes);
  const numbers = dialect.numbers(some.map(({ no }) => no));
  const items = some.length === 0 ? [] : await queries.listSomeItems(query, key, numbers);
  return { row, reads, items, isCut: some.length < sizes.length };
}

/** Clears the session after its content was sealed. */
export const clearSession = (work: Work, key: SessionKey): void => work.send(queries.deleteSession(work.tx, key));

/** Links an agent to its reads of its own entries; reads of other agents' entries were linked when they happened. */
export function linkOwnReads(work: Work, { reads }: Pick<OpenSession, 'reads'>): void {
  const own = reads.filter(({ written_by, agent_id }) => written_by === agent_id);
  applyReads(
    work,
    own.map((read) => ({ count: 1, ...read })),
  );
}

/** Returns the row of the session that a caller writes to; creates it where it is missing. */
export async function openSession(work: Work, key: SessionKey): Promise<queries.SessionRow> {
  return (await queries.getSession(work.tx, key)) ?? newSession(key, work.now);
}

export function saveSession(work: Work, row: queries.SessionRow): void {
  row.last_at = work.now;
  work.send(work.tx.insertMany(queries.upsertSessions, [row]));
}

export const { MAX_ITEMS } = traceShapes;

export const SESSION_FULL = `the session holds ${MAX_ITEMS} records; commit an outcome to start over`;

export type NewItem = { kind: queries.ItemKind; entity_path?: string | null; data: object };

/** Appends to a session. Returns the number of the item. */
export function addItem(work: Work, row: queries.SessionRow, item: NewItem): number {
  if (row.items >= MAX_ITEMS) throw new Fault('conflict', SESSION_FULL);
  return addItems(work, row, [item])[0] as number;
}

/** Appends items, for which the caller has checked that there is room. Returns their numbers. */
export function addItems(work: Work, row: queries.SessionRow, items: readonly NewItem[]): number[] {
  row.items += items.length;
  const { account_id, agent_id, session, attempt } = row;
  const rows = items.map(({ kind, entity_path = null, data }) => ({
    account_id,
    agent_id,
    session,
    no: work.nextItem(),
    kind,
    attempt,
    at: work.now,
    entity_path,
    data: JSON.stringify(data),
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
  const nos = work.dialect.numbers(numbers);
  const moved = await queries.moveItems(work.tx, { from, to: target }, nos);
  if (moved === 0) return;
  source.items -= moved;
  target.items += moved;
  saveSession(work, target);
  if (source.items > 0 || source.reads > 0 || source.attributes !== '{}') saveSession(work, source);
  else clearSession(work, from);
}
