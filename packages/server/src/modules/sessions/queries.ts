import { andAll, type Find, type Insert, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { ErasedEntries } from '../../kernel/index.ts';

export type SessionKey = { account_id: string; agent_id: string; session: string };

export type SessionRow = SessionKey & {
  opened_at: number;
  last_at: number;
  /** The number of the current attempt, from 0. */
  attempt: number;
  reads: number;
  /** The number of the last page of reads that was written. */
  last_page: number;
  items: number;
  actions: number;
  truncated: number;
  attributes: string;
  /** Bytes of its items. */
  bytes: number;
  /** 1 once anything but reads, queries and errors was recorded in it. */
  recorded: number;
  /** The branch that it read on last; null where it has read nothing. */
  branch: string | null;
};

/** The reads of a session between two flushes. */
export type PageRow = SessionKey & {
  no: number;
  attempt: number;
  reads: string;
  /** The branch that they were read on; null means `main`. */
  branch: string | null;
};

export const itemKinds = ['query', 'error', 'context', 'action', 'llm_call', 'span', 'attempt'] as const;
export type ItemKind = (typeof itemKinds)[number];

export type ItemRow = SessionKey & {
  no: number;
  kind: ItemKind;
  attempt: number;
  at: number;
  entity_path: string | null;
  data: string;
};

const session = { account_id: 'text', agent_id: 'text', session: 'text' } as const;

export const findSessions: Find = {
  table: 'sessions',
  select:
    'account_id, agent_id, session, opened_at, last_at, attempt, reads, last_page, items, actions, truncated, attributes, bytes, recorded, branch',
  by: session,
};

export const upsertSessions: Insert = {
  table: 'sessions',
  columns: {
    ...session,
    opened_at: 'int',
    last_at: 'int',
    attempt: 'int',
    reads: 'int',
    last_page: 'int',
    items: 'int',
    actions: 'int',
    truncated: 'int',
    attributes: 'text',
    bytes: 'int',
    recorded: 'int',
    branch: 'text',
  },
  suffix: `ON CONFLICT (account_id, agent_id, session) DO UPDATE SET
    last_at = excluded.last_at, attempt = excluded.attempt, reads = excluded.reads, last_page = excluded.last_page,
    items = excluded.items, actions = excluded.actions, truncated = excluded.truncated,
    attributes = excluded.attributes, bytes = excluded.bytes, recorded = excluded.recorded,
    branch = excluded.branch`,
};

export const insertPages: Insert = {
  table: 'session_reads',
  columns: { ...session, no: 'int', attempt: 'int', reads: 'text', branch: 'text' },
};

export const insertItems: Insert = {
  table: 'session_items',
  columns: {
    ...session,
    no: 'int',
    kind: 'text',
    attempt: 'int',
    at: 'int',
    entity_path: 'text',
    data: 'text',
  },
};

const ofSession = ({ account_id, agent_id, session }: SessionKey): Sql =>
  sql`account_id = ${account_id} AND agent_id = ${agent_id} AND session = ${session}`;

export function getSession(query: Query, key: SessionKey): Promise<SessionRow | undefined> {
  return query.get<SessionRow>(
    sql`SELECT account_id, agent_id, session, opened_at, last_at, attempt, reads, last_page, items, actions, truncated,
          attributes, bytes, recorded, branch FROM sessions WHERE ${ofSession(key)}`,
  );
}

/** Returns pages in the order they were written, after one of them. A session's limit on reads bounds their number. */
export function listPages(query: Query, key: SessionKey, after = 0): Promise<PageRow[]> {
  return query.all<PageRow>(
    sql`SELECT account_id, agent_id, session, no, attempt, reads, branch FROM session_reads
        WHERE ${ofSession(key)} AND no > ${after} ORDER BY no`,
  );
}

export const deletePagesOf = (tx: Transaction, key: SessionKey, attempt: number): Promise<number> =>
  tx.run(sql`DELETE FROM session_reads WHERE ${ofSession(key)} AND attempt = ${attempt}`);

/** Returns items in the order they happened: notes are written slightly later than what a caller records. */
export function listItems(query: Query, key: SessionKey): Promise<ItemRow[]> {
  return query.all<ItemRow>(
    sql`SELECT account_id, agent_id, session, no, kind, attempt, at, entity_path, data FROM session_items
        WHERE ${ofSession(key)} ORDER BY at, no`,
  );
}

/** Returns the sizes of items, in the same order. */
export function listItemSizes(query: Query, key: SessionKey): Promise<{ no: number; bytes: number }[]> {
  return query.all(
    sql`SELECT no, octet_length(data) AS bytes FROM session_items
        WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id} AND session = ${key.session} ORDER BY at, no`,
  );
}

/** Returns some of the items, in the same order. */
export function listSomeItems(query: Query, key: SessionKey, numbers: Sql): Promise<ItemRow[]> {
  return query.all<ItemRow>(
    sql`SELECT account_id, agent_id, session, no, kind, attempt, at, entity_path, data FROM session_items
        WHERE ${ofSession(key)} AND no IN (SELECT CAST(value AS BIGINT) FROM ${numbers}) ORDER BY at, no`,
  );
}

/** The positions of an attempt's actions among all actions of an open session. */
export async function listActionPlaces(query: Query, key: SessionKey, attempt: number): Promise<number[]> {
  const rows = await query.all<{ attempt: number }>(
    sql`SELECT attempt FROM session_items WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id}
        AND session = ${key.session} AND kind = 'action' ORDER BY no`,
  );
  return rows.flatMap((row, i) => (row.attempt === attempt ? [i] : []));
}

export async function deleteSession(tx: Transaction, key: SessionKey): Promise<void> {
  await Promise.all([
    tx.run(sql`DELETE FROM session_reads WHERE ${ofSession(key)}`),
    tx.run(sql`DELETE FROM session_items WHERE ${ofSession(key)}`),
    tx.run(sql`DELETE FROM sessions WHERE ${ofSession(key)}`),
  ]);
}

export const deleteSomeItems = (tx: Transaction, key: SessionKey, numbers: Sql): Promise<number> =>
  tx.run(
    sql`DELETE FROM session_items WHERE ${ofSession(key)} AND no IN (SELECT CAST(value AS BIGINT) FROM ${numbers})`,
  );

/** Moves items to another session and to its current attempt. */
export function moveItems(
  tx: Transaction,
  { from, to }: { from: SessionKey; to: SessionKey & { attempt: number } },
  numbers: Sql,
): Promise<number> {
  return tx.run(
    sql`UPDATE session_items SET agent_id = ${to.agent_id}, session = ${to.session}, attempt = ${to.attempt}
        WHERE ${ofSession(from)} AND no IN (SELECT CAST(value AS BIGINT) FROM ${numbers})`,
  );
}

/** Sessions in which nothing was recorded: of those opened first, the ones least recently used. */
export function listReaders(
  query: Query,
  accountId: string,
  { limit, among }: { limit: number; among: number },
): Promise<SessionCounts[]> {
  return query.all<SessionCounts>(
    sql`SELECT account_id, agent_id, session, reads, items, bytes, recorded FROM (
          SELECT account_id, agent_id, session, reads, items, bytes, recorded, last_at FROM sessions
          WHERE account_id = ${accountId} AND recorded = 0 ORDER BY opened_at LIMIT ${among}) AS opened
        ORDER BY last_at LIMIT ${limit}`,
  );
}

/** What a session adds to the counters of its account. */
export type SessionCounts = SessionKey & Pick<SessionRow, 'reads' | 'items' | 'bytes' | 'recorded'>;

export function sumSessions(query: Query, { account_id, agent_id }: Pick<SessionKey, 'account_id' | 'agent_id'>) {
  return query.get<{ open_sessions: number; reader_notes: number; storage_bytes: number }>(
    sql`SELECT count(*) AS open_sessions, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS storage_bytes,
          CAST(coalesce(sum(CASE WHEN recorded = 0 THEN 1 + reads + items ELSE 0 END), 0) AS BIGINT) AS reader_notes
        FROM sessions WHERE account_id = ${account_id} AND agent_id = ${agent_id}`,
  );
}

/** Maintenance over all accounts: sessions without recent activity. */
export function listIdle(query: Query, before: number, limit: number): Promise<SessionKey[]> {
  return query.all<SessionKey>(
    sql`SELECT account_id, agent_id, session FROM sessions WHERE last_at < ${before} ORDER BY last_at LIMIT ${limit}`,
  );
}

/** Queries about the paths, and refusals there. */
const itemsAt = ({ account_id, agent_id, paths, names }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND entity_path IS NOT NULL${andAll(paths)}
    AND (agent_id = ${agent_id} OR ${names('session_items', 'path')})`;

export function deleteItemsAt(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE FROM session_items WHERE ${itemsAt(erased)}`);
}

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

export function countItemsAt(query: Query, erased: ErasedEntries): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM session_items WHERE ${itemsAt(erased)}`);
}
