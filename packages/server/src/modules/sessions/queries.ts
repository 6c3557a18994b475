import {
  andAll,
  type Find,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Update,
} from '../../db/index.ts';
import type { ErasedEntries } from '../../kernel/index.ts';

export type SessionKey = { account_id: string; agent_id: string; session: string };

export type SessionRow = SessionKey & {
  opened_at: number;
  last_at: number;
  /** The try that is going on, from 0. */
  attempt: number;
  reads: number;
  /** Of reads: the one that was written last. */
  last_page: number;
  items: number;
  actions: number;
  truncated: number;
  attributes: string;
};

/** What a session read between two flushes. */
export type PageRow = SessionKey & {
  no: number;
  attempt: number;
  reads: string;
};

export type ItemKind = 'query' | 'error' | 'context' | 'action' | 'llm_call' | 'span' | 'attempt';

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
    'account_id, agent_id, session, opened_at, last_at, attempt, reads, last_page, items, actions, truncated, attributes',
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
  },
  suffix: `ON CONFLICT (account_id, agent_id, session) DO UPDATE SET
    last_at = excluded.last_at, attempt = excluded.attempt, reads = excluded.reads, last_page = excluded.last_page,
    items = excluded.items, actions = excluded.actions, truncated = excluded.truncated,
    attributes = excluded.attributes`,
};

export const insertPages: Insert = {
  table: 'session_reads',
  columns: { ...session, no: 'int', attempt: 'int', reads: 'text' },
};

export type VersionRow = { agent_id: string; shared: number };

const versionsByNumber: Find = {
  table: 'versions',
  select: 'agent_id, shared',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

export type EntryRow = {
  branch: string;
  entity_path: string;
  key: string;
  version: number;
  seq: number;
  content_hash: string;
  deleted: number;
  shared: number;
  ttl_at: number | null;
  agent_id: string;
};

const entriesById: Find = {
  table: 'entries',
  select: 'branch, entity_path, key, version, seq, content_hash, deleted, shared, ttl_at, agent_id',
  by: { account_id: 'text', entry_id: 'int' },
};

export type VersionNumber = { entry_id: number; version: number };

/** One answer for each, in order: nothing for what was erased. */
export function findVersions(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(VersionRow | undefined)[]> {
  return query.findMany<VersionRow>(
    versionsByNumber,
    numbers.map(({ entry_id, version }) => [accountId, entry_id, version]),
  );
}

/** Entries as they are now: one answer for each, in order, nothing for what was erased. */
export function findEntries(
  query: Query,
  accountId: string,
  numbers: readonly Pick<VersionNumber, 'entry_id'>[],
): Promise<(EntryRow | undefined)[]> {
  return query.findMany<EntryRow>(
    entriesById,
    numbers.map(({ entry_id }) => [accountId, entry_id]),
  );
}

/** Of these entries, those that have come beyond a version or are over. */
export function listChanged(
  query: Query,
  accountId: string,
  { ids, above, now }: { ids: Sql; above: number; now: number },
): Promise<(EntryRow & { entry_id: number })[]> {
  return query.all(
    sql`SELECT entry_id, branch, entity_path, key, version, seq, content_hash, deleted, shared, ttl_at, agent_id
        FROM entries WHERE account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})
          AND (version > ${above} OR ttl_at <= ${now}) ORDER BY entry_id`,
  );
}

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
          attributes FROM sessions WHERE ${ofSession(key)}`,
  );
}

/** In the order they were written. They never hold more than a session may. */
export function listPages(query: Query, key: SessionKey): Promise<PageRow[]> {
  return query.all<PageRow>(
    sql`SELECT account_id, agent_id, session, no, attempt, reads FROM session_reads WHERE ${ofSession(key)} ORDER BY no`,
  );
}

/** In the order they happened: what is noted by itself is written a little later than what a caller records. */
export function listItems(query: Query, key: SessionKey): Promise<ItemRow[]> {
  return query.all<ItemRow>(
    sql`SELECT account_id, agent_id, session, no, kind, attempt, at, entity_path, data FROM session_items
        WHERE ${ofSession(key)} ORDER BY at, no`,
  );
}

/** Where the actions of a try stand among all actions of an open session. */
export async function listActionPlaces(query: Query, key: SessionKey, attempt: number): Promise<number[]> {
  const rows = await query.all<{ attempt: number }>(
    sql`SELECT attempt FROM session_items WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id}
        AND session = ${key.session} AND kind = 'action' ORDER BY no`,
  );
  return rows.flatMap((row, i) => (row.attempt === attempt ? [i] : []));
}

export function getReadHash(
  query: Query,
  accountId: string,
  { entry_id, version }: VersionNumber,
): Promise<{ content_hash: string; shared: number; agent_id: string } | undefined> {
  return query.get(
    sql`SELECT content_hash, shared, agent_id FROM versions WHERE account_id = ${accountId} AND entry_id = ${entry_id}
        AND version = ${version}`,
  );
}

/** How often entries were recalled. One that is gone is passed over. */
export const addRecalls: Update = {
  table: 'entries',
  add: { recall_count: 'int' },
  by: { account_id: 'text', entry_id: 'int' },
};

export async function deleteSession(tx: Transaction, key: SessionKey): Promise<void> {
  await Promise.all([
    tx.run(sql`DELETE FROM session_reads WHERE ${ofSession(key)}`),
    tx.run(sql`DELETE FROM session_items WHERE ${ofSession(key)}`),
    tx.run(sql`DELETE FROM sessions WHERE ${ofSession(key)}`),
  ]);
}

/** Gives items another session, and the try that is going on there. */
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

/** Housekeeping over all accounts: sessions that nobody went on with. */
export function listIdle(query: Query, before: number, limit: number): Promise<SessionKey[]> {
  return query.all<SessionKey>(
    sql`SELECT account_id, agent_id, session FROM sessions WHERE last_at < ${before} ORDER BY last_at LIMIT ${limit}`,
  );
}

/** What was asked of the paths, or refused there. */
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
