import { fragment, joinSql, type Sql, sql } from '../db/index.ts';
import { type Reach, reaches, withinReach } from './reach.ts';

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

type Told = { entity_path: string | null; event_type: string };

export function seesEvent(reach: Reach | undefined, { entity_path, event_type }: Told): boolean {
  if (reach === undefined) return true;
  return entity_path === null ? ABOUT_NO_PATH.includes(event_type) : reaches(reach, entity_path);
}

export function eventsWithin(reach: Reach | undefined): Sql[] {
  if (reach === undefined) return [];
  return [sql`((${isAboutNoPath}) OR (entity_path IS NOT NULL AND ${joinSql(withinReach(reach), ' AND ')}))`];
}
