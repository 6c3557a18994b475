import { type Query, sql } from '../../db/index.ts';
import { listPages, type SessionKey } from './queries.ts';
import { numbersIn } from './rules/page.ts';

/** Open sessions of an agent, the names in order. */
export async function listOpenSessions(
  query: Query,
  { account_id, agent_id, limit }: Omit<SessionKey, 'session'> & { limit: number },
): Promise<SessionKey[]> {
  return query.all<SessionKey>(
    sql`SELECT account_id, agent_id, session FROM sessions WHERE account_id = ${account_id} AND agent_id = ${agent_id}
        ORDER BY session LIMIT ${limit}`,
  );
}

/** A version as an open session read it. */
export type OpenRead = { entry_id: number; version: number; read_at: number };

/** What an open session has read, entries that were erased since among it. */
export async function listOpenReads(query: Query, key: SessionKey): Promise<OpenRead[]> {
  const pages = await listPages(query, key);
  return pages.flatMap(({ reads }) =>
    numbersIn(reads).map(([entry_id, version, read_at]) => ({ entry_id, version, read_at })),
  );
}
