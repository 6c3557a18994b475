import { fragment, joinSql, type Sql, sql } from '../db/index.ts';
import { isInScope, type Scope, scopeConditions } from './scope.ts';
import { RECORDED_EVENTS } from './session-name.ts';

/**
 * Event types that a key with a scope may see although they name no path. The others without a path (commits, outcomes,
 * traces, edges, erasures) are about entries that the key may not read; it finds them in their own lists, filtered by
 * path.
 */
const ABOUT_NO_PATH: readonly string[] = ['agent_updated', ...RECORDED_EVENTS];
const isAboutNoPath = fragment(
  `entity_path IS NULL AND event_type IN (${ABOUT_NO_PATH.map((type) => `'${type}'`).join(', ')})`,
);

/** The digest of the edges of a path says that there are some, and their other ends may lie outside of a scope. */
const DIGEST = 'brief_compiled';
const OF_EDGES = '{"digest_type":"connection_map"';
const isNotOfEdges = fragment(`NOT (event_type = '${DIGEST}' AND details LIKE '${OF_EDGES}%')`);

type ScopedEvent = { entity_path: string | null; event_type: string; details: string };

export function seesEvent(scope: Scope | undefined, { entity_path, event_type, details }: ScopedEvent): boolean {
  if (scope === undefined) return true;
  if (entity_path === null) return ABOUT_NO_PATH.includes(event_type);
  return isInScope(scope, entity_path) && !(event_type === DIGEST && details.startsWith(OF_EDGES));
}

export function eventsInScope(scope: Scope | undefined): Sql[] {
  if (scope === undefined) return [];
  const isAtPath = sql`entity_path IS NOT NULL AND ${joinSql(scopeConditions(scope), ' AND ')} AND ${isNotOfEdges}`;
  return [sql`((${isAboutNoPath}) OR (${isAtPath}))`];
}
