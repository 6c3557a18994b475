import { type Query, sql } from '../../db/index.ts';

export type EventRow = {
  seq: number;
  event_type: string;
  agent_id: string;
  branch: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  visible_to: string;
  details: string;
  created_at: number;
};

/** Every event of the account after a number, whoever may see it. */
export function listEvents(
  query: Query,
  accountId: string,
  page: { after: number; limit: number },
): Promise<EventRow[]> {
  return query.all<EventRow>(
    sql`SELECT seq, event_type, agent_id, branch, entity_path, key, version, visible_to, details, created_at FROM events
        WHERE account_id = ${accountId} AND seq > ${page.after} ORDER BY seq LIMIT ${page.limit}`,
  );
}
