import { Fault } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import type { Work } from '../../kernel/index.ts';
import { linkReads } from '../graph/index.ts';
import * as queries from './queries.ts';
import { loadReads, type ReadRow } from './reads.ts';

export type SessionKey = queries.SessionKey;

/** Everything that an open session holds. */
export type OpenSession = {
  row: queries.SessionRow | undefined;
  reads: ReadRow[];
  items: queries.ItemRow[];
};

export const newSession = (key: SessionKey, now: number): queries.SessionRow => ({
  ...key,
  opened_at: now,
  last_at: now,
  attempt: 0,
  reads: 0,
  last_page: 0,
  items: 0,
  actions: 0,
  truncated: 0,
  attributes: '{}',
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
  linkReads(
    work,
    own.map((read) => ({ ...read, count: 1 })),
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
const MAX_ITEMS = 10_000;

export type NewItem = { kind: queries.ItemKind; entity_path?: string | null; data: object };

/** Appends to a session. Gives back the number of the item. */
export function addItem(work: Work, row: queries.SessionRow, { kind, entity_path = null, data }: NewItem): number {
  if (row.items >= MAX_ITEMS)
    throw new Fault('conflict', `the session holds ${MAX_ITEMS} records; commit an outcome to begin anew`);
  row.items++;
  const { account_id, agent_id, session, attempt } = row;
  const no = work.nextItem();
  const item = {
    account_id,
    agent_id,
    session,
    no,
    kind,
    attempt,
    at: work.now,
    entity_path,
    data: JSON.stringify(data),
  };
  work.send(work.tx.insertMany(queries.insertItems, [item]));
  return no;
}
