import { fragment, joinSql, type Sql, sql } from '../db/index.ts';
import { isInScope, type Scope, scopeConditions } from './scope.ts';

/**
 * What a key that is kept to some paths sees of the log: what is about one of them, and what is about no path at all and
 * says nothing of any. Commits, outcomes, traces, edges and erasures tell of entries without naming a path in the log;
 * such a key finds them where they are listed, by what they are about.
 */
const ABOUT_NO_PATH: readonly string[] = [
  'agent_updated',
  'context',
  'action',
  'error',
  'llm_call',
  'span',
  'attributes',
  'attempt',
];
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
