import {
  type Dialect,
  type Find,
  fragment,
  type Insert,
  type Query,
  sql,
  type Transaction,
  type Update,
} from '../db/index.ts';

export type AccountRow = {
  account_id: string;
  number: number;
  seq: number;
  /** The stamp of the newest event. */
  seq_stamp: number;
  audit_no: number;
  /** The hash of the newest audit line. */
  audit_hash: string;
  /** The number of the last note. */
  item_no: number;
  last_at: number;
  deleted_at: number | null;
  plan: string | null;
  /** Bytes of all versions, traces and open sessions; entries that are not deleted. */
  storage_bytes: number;
  storage_entries: number;
  open_sessions: number;
  /** Reads and queries of sessions in which nothing else was recorded. */
  reader_notes: number;
  /** 1: only merges write to `main`. */
  main_protected: number;
  /** Where the log ended at the newest fork or tag of a newest state; 0 where there was none. */
  forked_seq: number;
};

const ACCOUNT = fragment(
  'account_id, number, seq, seq_stamp, audit_no, audit_hash, item_no, last_at, deleted_at, plan, storage_bytes, storage_entries, open_sessions, reader_notes, forked_seq, main_protected',
);

/** Locks the row of the account: only this transaction may write to the account. */
export function lockAccount(tx: Transaction, dialect: Dialect, accountId: string): Promise<AccountRow | undefined> {
  return tx.get<AccountRow>(
    sql`SELECT ${ACCOUNT} FROM accounts
        WHERE account_id = ${accountId} ${fragment(dialect.forUpdate)}`,
  );
}

/**
 * Locks the rows of several accounts, except those that another transaction has locked. An account that is in neither list
 * does not exist, or has ended.
 */
export async function lockFreeAccounts(tx: Transaction, dialect: Dialect, accountIds: readonly string[]) {
  const rows = await tx.all<AccountRow>(
    sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id IN (SELECT value FROM ${dialect.texts(accountIds)})
        ORDER BY account_id ${fragment(dialect.skipLocked)}`,
  );
  const locked = new Map(rows.map((row) => [row.account_id, row]));
  const others = accountIds.filter((id) => !locked.has(id));
  if (others.length === 0) return { locked, busy: new Set<string>() };
  const there = await tx.all<{ account_id: string }>(
    sql`SELECT account_id FROM accounts
        WHERE account_id IN (SELECT value FROM ${dialect.texts(others)}) AND deleted_at IS NULL`,
  );
  return { locked, busy: new Set(there.map(({ account_id }) => account_id)) };
}

export function readAccount(query: Query, accountId: string): Promise<AccountRow | undefined> {
  return query.get<AccountRow>(
    sql`SELECT ${ACCOUNT} FROM accounts
        WHERE account_id = ${accountId}`,
  );
}

/** How far the log of an account reaches; 0 where there is none. */
export async function readSeq(query: Query, accountId: string): Promise<number> {
  const row = await query.get<{ seq: number }>(sql`SELECT seq FROM accounts WHERE account_id = ${accountId}`);
  return row?.seq ?? 0;
}

/** What accounts store that have not ended. */
export function listStored(
  query: Query,
  dialect: Dialect,
  accountIds: readonly string[],
): Promise<Pick<AccountRow, 'account_id' | 'storage_bytes' | 'storage_entries'>[]> {
  return query.all(
    sql`SELECT account_id, storage_bytes, storage_entries FROM accounts
        WHERE account_id IN (SELECT value FROM ${dialect.texts(accountIds)}) AND deleted_at IS NULL`,
  );
}

export function insertAccount(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(
    sql`INSERT INTO accounts (account_id, number, seq, audit_no, last_at, created_at)
        SELECT ${accountId}, coalesce(max(number), 0) + 1, 0, 0, 0, CAST(${now} AS BIGINT) FROM accounts WHERE true
        ON CONFLICT (account_id) DO NOTHING`,
  );
}

export const advanceAccounts: Update = {
  table: 'accounts',
  set: {
    seq: 'int',
    seq_stamp: 'int',
    audit_no: 'int',
    audit_hash: 'text',
    item_no: 'int',
    last_at: 'int',
    storage_bytes: 'int',
    storage_entries: 'int',
    open_sessions: 'int',
    reader_notes: 'int',
  },
  by: { account_id: 'text' },
};

export function setForked(tx: Transaction, accountId: string, seq: number): Promise<number> {
  return tx.run(sql`UPDATE accounts SET forked_seq = ${seq} WHERE account_id = ${accountId}`);
}

export function updateMainProtected(tx: Transaction, accountId: string, isProtected: boolean): Promise<number> {
  return tx.run(sql`UPDATE accounts SET main_protected = ${isProtected ? 1 : 0} WHERE account_id = ${accountId}`);
}

/** Events as they are exported. */
export const exportedEvents = {
  table: 'events',
  columns: {
    account_id: 'text',
    seq: 'int',
    event_type: 'text',
    agent_id: 'text',
    branch: 'text',
    entity_path: 'text',
    key: 'text',
    version: 'int',
    visible_to: 'text',
    details: 'text',
    created_at: 'int',
    session: 'text',
    actor_agent_id: 'text',
  },
} as const satisfies Insert;

export const insertEvents: Insert = { table: 'events', columns: { ...exportedEvents.columns, stamp: 'int' } };

/** Records when each agent was first and last active. */
export const touchAgents: Insert = {
  table: 'agents',
  columns: { account_id: 'text', agent_id: 'text', visible_to: 'text', first_at: 'int', last_at: 'int' },
  suffix: 'ON CONFLICT (account_id, agent_id, visible_to) DO UPDATE SET last_at = excluded.last_at',
};

export const insertAudit: Insert = {
  table: 'audit',
  columns: {
    account_id: 'text',
    no: 'int',
    at: 'int',
    actor: 'text',
    key_id: 'text',
    key_name: 'text',
    user_name: 'text',
    agent_id: 'text',
    action: 'text',
    resource: 'text',
    before_hash: 'text',
    after_hash: 'text',
    address: 'text',
    request_id: 'text',
    subject_salt: 'text',
    subject_hash: 'text',
    agent_salt: 'text',
    agent_hash: 'text',
    hash: 'text',
  },
};

export type StoredAnswer = {
  idempotency_key: string;
  request_hash: string;
  holder: string | null;
  answer: string;
  created_at: number;
};

/** Stands for an answer that was erased: its key and the hash of its request stay. */
export const ERASED_ANSWER = '';

export const findStoredAnswers: Find = {
  table: 'stored_answers',
  select: 'idempotency_key, request_hash, holder, answer, created_at',
  by: { account_id: 'text', idempotency_key: 'text' },
};

export const insertStoredAnswers: Insert = {
  table: 'stored_answers',
  columns: {
    account_id: 'text',
    idempotency_key: 'text',
    request_hash: 'text',
    holder: 'text',
    answer: 'text',
    is_named: 'int',
    created_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
    request_hash = excluded.request_hash, holder = excluded.holder, answer = excluded.answer,
    is_named = excluded.is_named, created_at = excluded.created_at`,
};

/** What stored answers name, to find them when it is erased. */
export const insertAnswerNames: Insert = {
  table: 'answer_names',
  columns: { account_id: 'text', name_hash: 'text', idempotency_key: 'text', created_at: 'int' },
  suffix: 'ON CONFLICT (account_id, name_hash, idempotency_key) DO UPDATE SET created_at = excluded.created_at',
};

/** Maintenance over all accounts: stored answers are kept for a day. */
export async function deleteOldAnswers(tx: Transaction, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM stored_answers WHERE account_id IS NOT NULL AND created_at < ${before}`);
  await tx.run(sql`DELETE FROM answer_names WHERE account_id IS NOT NULL AND created_at < ${before}`);
}

/** The event that says that the clock was set back: the events before it may have later times. */
export const CLOCK_CORRECTED = 'clock_corrected';

export type Corrections = { last_before: number | null; first_after: number | null };

/** The newest correction of the clock up to a time, and the oldest after that one. `+ 0`: by the index of corrections. */
export function getCorrections(query: Query, accountId: string, time: number): Promise<Corrections | undefined> {
  const corrected = sql`account_id = ${accountId} AND event_type = 'clock_corrected'`;
  const before = sql`SELECT max(seq + 0) FROM events WHERE ${corrected} AND created_at <= ${time}`;
  return query.get(
    sql`SELECT (${before}) AS last_before, (SELECT min(seq + 0) FROM events WHERE ${corrected}
          AND seq > coalesce((${before}), 0)) AS first_after`,
  );
}

/** The time of one event, for a binary search: times grow with `seq`. */
export function eventTime(query: Query, accountId: string, seq: number): Promise<{ created_at: number } | undefined> {
  return query.get(sql`SELECT created_at FROM events WHERE account_id = ${accountId} AND seq = ${seq}`);
}
