import { Fault } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import { applyReads, isInScope, type Scope, type Work } from '../../kernel/index.ts';
import type { SessionKey } from './queries.ts';
import * as queries from './queries.ts';
import { loadReads, type SessionReadRow } from './reads.ts';

/** Everything that an open session holds. */
export type OpenSession = {
  row: queries.SessionRow | undefined;
  reads: SessionReadRow[];
  items: queries.ItemRow[];
};

/** A session as a key may know it that is kept to some paths: another key may have read and asked more in it. */
export function sessionInScope(scope: Scope | undefined, { row, reads, items }: OpenSession): OpenSession {
  if (scope === undefined) return { row, reads, items };
  return {
    row,
    reads: reads.filter(({ entity_path }) => isInScope(scope, entity_path)),
    // A question that named no path was about all of them.
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

/** The session begins anew; what it held is sealed elsewhere. */
export const clearSession = (work: Work, key: SessionKey): void => work.send(queries.deleteSession(work.tx, key));

/** Ties an agent to what it read of its own; what it read of others is tied to it at once. */
export function linkOwnReads(work: Work, { reads }: Pick<OpenSession, 'reads'>): void {
  const own = reads.filter(({ written_by, agent_id }) => written_by === agent_id);
  applyReads(
    work,
    own.map((read) => ({ count: 1, ...read })),
  );
}

/** The row of the session a caller writes into, made when there is none. */
export async function openSession(work: Work, key: SessionKey): Promise<queries.SessionRow> {
  return (await queries.getSession(work.tx, key)) ?? newSession(key, work.now);
}

export function saveSession(work: Work, row: queries.SessionRow): void {
  row.last_at = work.now;
  work.send(work.tx.insertMany(queries.upsertSessions, [row]));
}

/** As much as a session may hold before it has to be sealed. */
export const MAX_ITEMS = 10_000;

export const SESSION_FULL = `the session holds ${MAX_ITEMS} records; commit an outcome to begin anew`;

export type NewItem = { kind: queries.ItemKind; entity_path?: string | null; data: object };

/** Appends to a session. Gives back the number of the item. */
export function addItem(work: Work, row: queries.SessionRow, item: NewItem): number {
  if (row.items >= MAX_ITEMS) throw new Fault('conflict', SESSION_FULL);
  return addItems(work, row, [item])[0] as number;
}

/** Appends as many as there is room for, which the caller has asked for. Gives back their numbers. */
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

/** Takes some of what a session holds over into another one. What is sealed by now stays where it is. */
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
