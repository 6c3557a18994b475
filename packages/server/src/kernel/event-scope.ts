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

type ScopedEvent = { entity_path: string | null; event_type: string };

export function seesEvent(scope: Scope | undefined, { entity_path, event_type }: ScopedEvent): boolean {
  if (scope === undefined) return true;
  return entity_path === null ? ABOUT_NO_PATH.includes(event_type) : isInScope(scope, entity_path);
}

export function eventsInScope(scope: Scope | undefined): Sql[] {
  if (scope === undefined) return [];
  return [sql`((${isAboutNoPath}) OR (entity_path IS NOT NULL AND ${joinSql(scopeConditions(scope), ' AND ')}))`];
}
