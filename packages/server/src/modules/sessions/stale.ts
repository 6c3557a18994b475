import type { Query } from '../../db/index.ts';
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

/** What the session read that others have changed since. Its own writes are no surprise to it. */
export async function listStaleReads(query: Query, key: queries.SessionKey, now: number): Promise<StaleRead[]> {
  const changed = await queries.listChanged(query, key);
  const stale = new Map<string, StaleRead>();
  for (const row of changed) {
    if (isOwn(row, key)) continue;
    const { branch, entity_path, key: name, read_version } = row;
    // Of several versions that were read, the newest counts.
    const id = `${branch}\n${entity_path}\n${name}`;
    if ((stale.get(id)?.read_version ?? 0) < read_version) stale.set(id, toStale(row, key.agent_id, now));
  }
  return [...stale.values()];
}

function toStale(row: queries.ChangedRow, agentId: string, now: number): StaleRead {
  const { entity_path, key, branch, read_version } = row;
  const isThere = row.deleted === 0 && (row.ttl_at === null || row.ttl_at > now);
  const isVisible = row.shared === 1 || row.agent_id === agentId;
  return {
    entity_path,
    key,
    branch,
    read_version,
    current_version: isThere && isVisible ? row.version : null,
    changed_by: isVisible ? row.agent_id : null,
    value_changed: !(isThere && isVisible) || row.content_hash !== row.read_hash,
  };
}

function isOwn({ agent_id, document }: queries.ChangedRow, key: queries.SessionKey): boolean {
  if (agent_id !== key.agent_id) return false;
  const { provenance } = JSON.parse(document) as { provenance: { session_id: string | null } };
  return provenance.session_id === sessionIdOf(key.session);
}
