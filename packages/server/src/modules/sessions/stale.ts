import type { Query, Transaction } from '../../db/index.ts';
import { sessionIdOf } from '../../kernel/index.ts';
import * as queries from './queries.ts';

export type StaleRead = {
  entity_path: string;
  key: string;
  branch: string;
  read_version: number;
  current_version: number | null;
  changed_by: string | null;
  value_changed: boolean;
};

/**
 * What the session read that others have changed since. Its own writes are no surprise to it, and what it has read again
 * is not stale. Most sessions have read nothing when they write, and one look-up says so.
 */
export async function listStaleReads(
  query: Query | Transaction,
  key: queries.SessionKey,
  now: number,
): Promise<StaleRead[]> {
  const newest = new Map<number, queries.ReadVersion>();
  // In the order of versions: the last one of each entry stays.
  for (const read of await queries.listReadVersions(query, key)) newest.set(read.entry_id, read);
  if (newest.size === 0) return [];
  const reads = [...newest.values()];
  const current = await findCurrent(query, key.account_id, reads);
  const stale = reads.map(async (read, i): Promise<StaleRead[]> => {
    const row = current[i];
    if (!row || row.version === read.version || isOwn(row, key)) return [];
    const before = await queries.getReadHash(query, key.account_id, read);
    return [toStale(read, row, { before: before?.content_hash, agentId: key.agent_id, now })];
  });
  return (await Promise.all(stale)).flat();
}

/** Entries that are gone for good give nothing. */
function findCurrent(
  query: Query | Transaction,
  accountId: string,
  reads: readonly queries.ReadVersion[],
): Promise<(queries.CurrentRow | undefined)[]> {
  if (!('findMany' in query)) return Promise.all(reads.map((read) => queries.getCurrent(query, accountId, read)));
  return query.findMany<queries.CurrentRow>(
    queries.findCurrent,
    reads.map(({ branch, entity_path, key }) => [accountId, branch, entity_path, key]),
  );
}

type Known = { before: string | undefined; agentId: string; now: number };

function toStale(read: queries.ReadVersion, row: queries.CurrentRow, { before, agentId, now }: Known): StaleRead {
  const { entity_path, key, branch, version: read_version } = read;
  const isThere = row.deleted === 0 && (row.ttl_at === null || row.ttl_at > now);
  const isVisible = row.shared === 1 || row.agent_id === agentId;
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

function isOwn({ agent_id, document }: queries.CurrentRow, key: queries.SessionKey): boolean {
  if (agent_id !== key.agent_id) return false;
  const { provenance } = JSON.parse(document) as { provenance: { session_id: string | null } };
  return provenance.session_id === sessionIdOf(key.session);
}
