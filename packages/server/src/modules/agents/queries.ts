import type { Glob } from '@mem-service/contract';
import { andAll, type Query, type Sql, sql } from '../../db/index.ts';
import { activeAgents, type EntryView, type SeenAgent } from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';
import { describedAgents } from '../profiles/index.ts';

export type AgentsViewer = { account_id: string; viewer: string };

/**
 * By id. An agent has a row each for what everyone may see, for what only the viewer may see, and for its description; each
 * query is limited to the page separately.
 */
export function listAgents(
  query: Query,
  { account_id, viewer }: AgentsViewer,
  page: { after: string; limit: number },
): Promise<SeenAgent[]> {
  const active = (visible_to: string) => activeAgents(account_id, { visible_to, ...page });
  return query.all<SeenAgent>(
    sql`${active('')} UNION ALL ${active(viewer)} UNION ALL ${describedAgents(account_id, page)} ORDER BY agent_id`,
  );
}

/** An agent that wrote at some paths, based on at most `scan` entries: how many entries, and the first and last time. */
export type SeenWriter = { agent_id: string; n: number; first_at: number; last_at: number };

/** Scans only what the view shows, so that an agent that wrote elsewhere is not included. */
export function listSeenWriters(
  query: Query,
  view: EntryView,
  { where, after, scan, limit }: { where: readonly Sql[]; after: string; scan: number; limit: number },
): Promise<SeenWriter[]> {
  return query.all<SeenWriter>(
    sql`SELECT agent_id, count(*) AS n, min(written_at) AS first_at, max(written_at) AS last_at FROM (
          SELECT agent_id, written_at FROM ${entriesIn(view, { including: 'undeleted' })} WHERE true${andAll(where)}
            LIMIT ${scan}) AS looked_at
        WHERE agent_id > ${after} GROUP BY agent_id ORDER BY agent_id LIMIT ${limit}`,
  );
}

export type WriterCount = { agent_id: string; n: number };

/** The agents that wrote most at a path and below it, based on at most `scan` entries of each. */
export function listWriters(
  query: Query,
  view: EntryView,
  { entity_path, scan, limit }: { entity_path: string; scan: number; limit: number },
): Promise<WriterCount[]> {
  const some = (glob: Glob) =>
    sql`SELECT * FROM (SELECT agent_id FROM ${entriesIn(view, { paths: [glob] })}
          ORDER BY entity_path, key LIMIT ${scan}) AS part`;
  const here = some({ kind: 'exact', path: entity_path });
  const below = some({ kind: 'below', base: entity_path });
  return query.all<WriterCount>(
    sql`SELECT agent_id, count(*) AS n FROM (${here} UNION ALL ${below}) AS looked_at
        GROUP BY agent_id ORDER BY n DESC, agent_id LIMIT ${limit}`,
  );
}
