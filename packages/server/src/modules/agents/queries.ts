import type { Glob } from '@mem-service/contract';
import { andAll, type Query, type Sql, sql } from '../../db/index.ts';
import { activeAgents, type EntryView, type SeenAgent } from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';
import { describedAgents } from '../profiles/index.ts';

export type AgentsViewer = { account_id: string; viewer: string };

/**
 * By id. What an agent did for all to see, what only the viewer may know of it, and that it was described are a row
 * each; each side is cut to the page by itself.
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

/** Who wrote what is at some paths, as far as `scan` entries tell: how many, and when first and last. */
export type SeenWriter = { agent_id: string; n: number; first_at: number; last_at: number };

/** Only what the view shows is looked at, so that an agent that wrote elsewhere is not there. */
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

/** Who wrote most of what is at a path and below it, as far as `scan` entries of each tell. */
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
