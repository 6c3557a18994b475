import { andAll, type Find, type Insert, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';

export type SessionKey = { account_id: string; agent_id: string; session: string };

export type SessionRow = SessionKey & {
  opened_at: number;
  last_at: number;
  /** The try that is going on, from 0. */
  attempt: number;
  reads: number;
  items: number;
  actions: number;
  truncated: number;
  attributes: string;
};

export type ReadRow = SessionKey & {
  entry_id: number;
  version: number;
  attempt: number;
  no: number;
  branch: string;
  entity_path: string;
  key: string;
  visible_to: string;
  written_by: string;
  confidence: number;
  standing: string | null;
  read_at: number;
  duration_ms: number;
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
  select: 'account_id, agent_id, session, opened_at, last_at, attempt, reads, items, actions, truncated, attributes',
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
    items: 'int',
    actions: 'int',
    truncated: 'int',
    attributes: 'text',
  },
  suffix: `ON CONFLICT (account_id, agent_id, session) DO UPDATE SET
    last_at = excluded.last_at, attempt = excluded.attempt, reads = excluded.reads, items = excluded.items,
    actions = excluded.actions, truncated = excluded.truncated, attributes = excluded.attributes`,
};

export const insertReads: Insert = {
  table: 'session_reads',
  columns: {
    ...session,
    entry_id: 'int',
    version: 'int',
    attempt: 'int',
    no: 'int',
    branch: 'text',
    entity_path: 'text',
    key: 'text',
    visible_to: 'text',
    written_by: 'text',
    confidence: 'real',
    standing: 'text',
    read_at: 'int',
    duration_ms: 'real',
  },
  suffix: `ON CONFLICT (account_id, agent_id, session, entry_id, version, attempt) DO NOTHING
    RETURNING agent_id, session, no`,
};

/** Whether a version is still there. */
export const findVersions: Find = {
  table: 'versions',
  select: 'version',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

/** Whether a try of a session has read a version. */
export const findReads: Find = {
  table: 'session_reads',
  select: 'no',
  by: { ...session, entry_id: 'int', version: 'int', attempt: 'int' },
};

/** Whether a session has read an entry, in whatever version. */
export const findReadsOfEntries: Find = {
  table: 'session_reads',
  select: 'entry_id',
  by: { ...session, entry_id: 'int' },
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
    sql`SELECT account_id, agent_id, session, opened_at, last_at, attempt, reads, items, actions, truncated, attributes
        FROM sessions WHERE ${ofSession(key)}`,
  );
}

/** In the order they were read. There are never more than a session may hold. */
export function listReads(query: Query, key: SessionKey): Promise<ReadRow[]> {
  return query.all<ReadRow>(
    sql`SELECT account_id, agent_id, session, entry_id, version, attempt, no, branch, entity_path, key, visible_to,
          written_by, confidence, standing, read_at, duration_ms FROM session_reads WHERE ${ofSession(key)} ORDER BY no`,
  );
}

/** In the order they happened: what is noted by itself is written a little later than what a caller records. */
export function listItems(query: Query, key: SessionKey): Promise<ItemRow[]> {
  return query.all<ItemRow>(
    sql`SELECT account_id, agent_id, session, no, kind, attempt, at, entity_path, data FROM session_items
        WHERE ${ofSession(key)} ORDER BY at, no`,
  );
}

/** How many entries a try of an open session has read. */
export async function countAttemptReads(query: Query, key: SessionKey, attempt: number): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(DISTINCT entry_id) AS n FROM session_reads WHERE account_id = ${key.account_id}
        AND agent_id = ${key.agent_id} AND session = ${key.session} AND attempt = ${attempt}`,
  );
  return row?.n ?? 0;
}

/** Where the actions of a try stand among all actions of an open session. */
export async function listActionPlaces(query: Query, key: SessionKey, attempt: number): Promise<number[]> {
  const rows = await query.all<{ attempt: number }>(
    sql`SELECT attempt FROM session_items WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id}
        AND session = ${key.session} AND kind = 'action' ORDER BY no`,
  );
  return rows.flatMap((row, i) => (row.attempt === attempt ? [i] : []));
}

export type ReadVersion = Pick<ReadRow, 'entry_id' | 'version' | 'branch' | 'entity_path' | 'key'>;

/** Which versions a session has read, by entry. */
export function listReadVersions(query: Query, key: SessionKey): Promise<ReadVersion[]> {
  return query.all<ReadVersion>(
    sql`SELECT entry_id, version, branch, entity_path, key FROM session_reads WHERE ${ofSession(key)}
        ORDER BY account_id, agent_id, session, entry_id, version`,
  );
}

export type CurrentRow = {
  version: number;
  seq: number;
  content_hash: string;
  deleted: number;
  shared: number;
  ttl_at: number | null;
  agent_id: string;
};

/** Entries as they are now. */
export const findCurrent: Find = {
  table: 'entries',
  select: 'version, seq, content_hash, deleted, shared, ttl_at, agent_id',
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
};

export function getCurrent(query: Query, accountId: string, at: ReadVersion): Promise<CurrentRow | undefined> {
  return query.get<CurrentRow>(
    sql`SELECT version, seq, content_hash, deleted, shared, ttl_at, agent_id FROM entries
        WHERE account_id = ${accountId} AND branch = ${at.branch} AND entity_path = ${at.entity_path} AND key = ${at.key}`,
  );
}

export function getReadHash(
  query: Query,
  accountId: string,
  { entry_id, version }: ReadVersion,
): Promise<{ content_hash: string; shared: number; agent_id: string } | undefined> {
  return query.get(
    sql`SELECT content_hash, shared, agent_id FROM versions WHERE account_id = ${accountId} AND entry_id = ${entry_id}
        AND version = ${version}`,
  );
}

/** In which session something was done. */
export function getEventSession(
  query: Query,
  accountId: string,
  seq: number,
): Promise<{ session: string } | undefined> {
  return query.get(sql`SELECT session FROM events WHERE account_id = ${accountId} AND seq = ${seq}`);
}

/** Adds to how often an entry was recalled. One that is gone is passed over. */
export function addRecalls(
  tx: Transaction,
  at: { account_id: string; branch: string; entity_path: string; key: string },
  recalls: number,
): Promise<number> {
  return tx.run(
    sql`UPDATE entries SET recall_count = recall_count + ${recalls} WHERE account_id = ${at.account_id}
        AND branch = ${at.branch} AND entity_path = ${at.entity_path} AND key = ${at.key}`,
  );
}

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

const readsOf = (accountId: string, entryIds: Sql): Sql =>
  sql`account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds})`;

export function deleteReadsOf(tx: Transaction, accountId: string, entryIds: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM session_reads WHERE ${readsOf(accountId, entryIds)}`);
}

/** `isAboutDoomed` says of a row of a table whether it names what is to go. */
export type Erased = {
  account_id: string;
  agent_id: string;
  paths: readonly Sql[];
  keys: readonly Sql[];
  isAboutDoomed: (table: string, columns: 'path' | 'path and key') => Sql;
};

/** What was asked of the paths, or refused there. */
const itemsAt = ({ account_id, agent_id, paths, isAboutDoomed }: Erased): Sql =>
  sql`account_id = ${account_id} AND entity_path IS NOT NULL${andAll(paths)}
    AND (agent_id = ${agent_id} OR ${isAboutDoomed('session_items', 'path')})`;

export function deleteItemsAt(tx: Transaction, target: Erased): Promise<number> {
  return tx.run(sql`DELETE FROM session_items WHERE ${itemsAt(target)}`);
}

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

export function countReads(query: Query, accountId: string, entryIds: Sql): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM session_reads WHERE ${readsOf(accountId, entryIds)}`);
}

export function countItemsAt(query: Query, target: Erased): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM session_items WHERE ${itemsAt(target)}`);
}
