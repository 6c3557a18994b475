import type { Dialect, Query } from '../../db/index.ts';
import { findEventSessions, type LogEvent } from '../../kernel/index.ts';
import { type EntryFacts, findVersions, listChangedEntries, type VersionNumber } from '../entries/offers.ts';
import type * as queries from './queries.ts';
import { newestReads } from './reads.ts';

export type StaleRead = {
  entity_path: string;
  key: string;
  branch: string;
  read_version: number;
  current_version: number | null;
  changed_by: string | null;
  value_changed: boolean;
};

/** The time, and the events of this transaction that are not yet in the log. */
export type StaleContext = { now: number; dialect: Dialect; events?: readonly Pick<LogEvent, 'seq' | 'session'>[] };

/**
 * Returns entries that the session read and others have changed since. Changes of the session itself do not count, nor do
 * entries that it has read again. Most sessions have no reads when they write, and one lookup shows that.
 */
export async function listStaleReads(
  query: Query,
  key: queries.SessionKey,
  context: StaleContext,
): Promise<StaleRead[]> {
  return (await checkReads(query, key, { after: 0, ...context })).stale;
}

/** What a check of a session's reads found, up to a page. `expires_at`: when the next of the entries ends by itself. */
export type CheckedReads = { stale: StaleRead[]; last_page: number; expires_at: number };

/** Checks the reads on the pages after one of them. */
export async function checkReads(
  query: Query,
  key: queries.SessionKey,
  context: StaleContext & { after: number },
): Promise<CheckedReads> {
  const { versions, last_page } = await newestReads(query, key, context.after);
  if (versions.size === 0) return { stale: [], last_page, expires_at: Number.POSITIVE_INFINITY };
  const { now, dialect } = context;
  // A session may have many reads of unchanged entries: those are filtered out in the database.
  const above = [...versions.values()].reduce((least, version) => Math.min(least, version));
  const read = { account_id: key.account_id, dialect, ids: [...versions.keys()] };
  const changed = await listChangedEntries(query, read, above);
  const found = changed.map(({ entry_id, ...row }) => {
    const { branch, entity_path, key } = row;
    return { read: { entry_id, version: versions.get(entry_id) as number, branch, entity_path, key }, row };
  });
  const ends = changed.flatMap(({ ttl_at }) => (ttl_at !== null && ttl_at > now ? [ttl_at] : []));
  const stale = await staleReadsAmong(query, key, { found, look: context });
  return { stale, last_page, expires_at: Math.min(Number.POSITIVE_INFINITY, ...ends) };
}

type SessionReadVersion = VersionNumber & { branch: string; entity_path: string; key: string };
type CurrentRow = Omit<EntryFacts, 'branch' | 'entity_path' | 'key' | 'entry_id'>;
type ReadWithRow = { read: SessionReadVersion; row: CurrentRow };

/** Returns those of the given reads that others have changed. Leaves out entries that the agent cannot have read. */
export async function staleReadsAmong(
  query: Query,
  key: queries.SessionKey,
  { found, look: context }: { found: readonly ReadWithRow[]; look: StaleContext },
): Promise<StaleRead[]> {
  const changed = found.filter(({ read, row }) => row.version > read.version || isOver(row, context));
  const isOwn = await ownChanges(query, key, { changed, look: context });
  const foreign = changed.filter((_, i) => !isOwn[i]);
  const befores = await findVersions(
    query,
    key.account_id,
    foreign.map(({ read }) => read),
  );
  return foreign.flatMap(({ read, row }, i) => {
    const before = befores[i];
    if (!before || !isFor(before, key.agent_id)) return [];
    return [toStale(read, row, { before: before.content_hash, agentId: key.agent_id, look: context })];
  });
}

type StaleFacts = { before: string; agentId: string; look: StaleContext };

function toStale(read: SessionReadVersion, row: CurrentRow, { before, agentId, look: context }: StaleFacts): StaleRead {
  const { entity_path, key, branch, version: read_version } = read;
  const isThere = row.deleted === 0 && !isOver(row, context);
  const isVisible = isFor(row, agentId);
  return {
    entity_path,
    key,
    branch,
    read_version,
    current_version: isThere && isVisible ? row.version : null,
    changed_by: isVisible ? row.agent_id : null,
    value_changed: !(isThere && isVisible) || row.content_hash !== before,
  };
}

const isOver = ({ ttl_at }: CurrentRow, { now }: StaleContext): boolean => ttl_at !== null && ttl_at <= now;

const isFor = ({ shared, agent_id }: { shared: number; agent_id: string }, agentId: string): boolean =>
  shared === 1 || agent_id === agentId;

/** Whether the session made each change. An expiry has no author. */
async function ownChanges(
  query: Query,
  { account_id, agent_id, session }: queries.SessionKey,
  { changed, look: context }: { changed: readonly ReadWithRow[]; look: StaleContext },
): Promise<boolean[]> {
  const sessions = new Map(context.events?.map((event) => [event.seq, event.session]));
  const byAgent = changed.map(({ row }) => row.agent_id === agent_id && !isOver(row, context));
  const unknown = changed.flatMap(({ row }, i) => (byAgent[i] && !sessions.has(row.seq) ? [row.seq] : []));
  const events = await query.findMany<{ session: string }>(
    findEventSessions,
    unknown.map((seq) => [account_id, seq]),
  );
  for (const [i, seq] of unknown.entries()) sessions.set(seq, events[i]?.session as string);
  return changed.map(({ row }, i) => byAgent[i] === true && sessions.get(row.seq) === session);
}
