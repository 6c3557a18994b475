import { fragment, type Query, sql } from '../../../db/index.ts';
import type { SessionKey } from '../../sessions/index.ts';

export type WriteRow = {
  event_type: string;
  entity_path: string;
  key: string;
  version: number;
  visible_to: string;
  created_at: number;
};

/** Written out: SQLite plans a statement anew each time that a bound limit is set. */
const MOST_WRITES = fragment('LIMIT 1000');

/** A lesson belongs to the outcome that it was learnt from, though its place in the log is after it. */
const NO_LESSON = fragment(`details NOT LIKE '%"lesson_of":%'`);

/** What a session that has a name wrote since a place in the log. */
export function listSessionWrites(query: Query, key: SessionKey, after: number): Promise<WriteRow[]> {
  return query.all<WriteRow>(
    sql`SELECT event_type, entity_path, key, version, visible_to, created_at FROM events
        WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id} AND session = ${key.session} AND session >= ' '
          AND seq > ${after} AND entity_path IS NOT NULL AND event_type IN ('write', 'delete') AND ${NO_LESSON}
        ORDER BY seq ${MOST_WRITES}`,
  );
}

/** The same for the session of an agent that names none: among the newest of what the agent did. */
export function listUnnamedWrites(query: Query, key: SessionKey, after: number): Promise<WriteRow[]> {
  return query.all<WriteRow>(
    sql`SELECT event_type, entity_path, key, version, visible_to, created_at FROM (
          SELECT seq, session, event_type, entity_path, key, version, visible_to, created_at, details FROM events
          WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id} AND seq > ${after}
          ORDER BY seq DESC ${MOST_WRITES}) AS newest
        WHERE session = ${key.session} AND entity_path IS NOT NULL AND event_type IN ('write', 'delete') AND ${NO_LESSON}
        ORDER BY seq`,
  );
}
