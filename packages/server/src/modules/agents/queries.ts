import type { Glob } from '@mem-service/contract';
import { andAll, fragment, type Insert, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';

export type EventRow = {
  seq: number;
  event_type: string;
  agent_id: string;
  branch: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  details: string;
  created_at: number;
  actor_agent_id: string | null;
};

/** What stands on the timeline of an agent and may be seen by the one who looks: `from <= seq < before`. */
export type EventRange = {
  account_id: string;
  agent_id: string;
  viewer: string;
  from: number;
  before: number;
  where: readonly Sql[];
};

const inRange = ({ account_id, agent_id, viewer, from, before, where }: EventRange): Sql =>
  sql`account_id = ${account_id} AND agent_id = ${agent_id} AND seq >= ${from} AND seq < ${before}
      AND visible_to IN ('', ${viewer})${andAll(where)}`;

const EVENT = fragment(
  'seq, event_type, agent_id, branch, entity_path, key, version, details, created_at, actor_agent_id',
);

/** A filter: events of some types, of all where there are none. */
export function ofTypes(types: readonly string[]): Sql[] {
  const each = types.map((type) => sql`${type}`);
  return types.length === 0 ? [] : [sql`event_type IN (${joinSql(each, ', ')})`];
}

/** Newest first. With filters, only among the newest `scan` of the range. */
export function listAgentEvents(
  query: Query,
  range: EventRange,
  page: { filters: readonly Sql[]; scan: number; limit: number },
): Promise<EventRow[]> {
  const base = sql`SELECT ${EVENT} FROM events WHERE ${inRange(range)} ORDER BY seq DESC`;
  if (page.filters.length === 0) return query.all<EventRow>(sql`${base} LIMIT ${page.limit}`);
  return query.all<EventRow>(
    sql`SELECT * FROM (${base} LIMIT ${page.scan}) AS looked_at WHERE true${andAll(page.filters)}
        ORDER BY seq DESC LIMIT ${page.limit}`,
  );
}

/** The last event that a scan of this length reaches. */
export function endOfEvents(query: Query, range: EventRange, scan: number): Promise<{ seq: number } | undefined> {
  return query.get(sql`SELECT seq FROM events WHERE ${inRange(range)} ORDER BY seq DESC LIMIT 1 OFFSET ${scan - 1}`);
}

export type Viewer = { account_id: string; viewer: string };

export type SeenAgent = { agent_id: string; first_at: number; last_at: number | null };

/**
 * By id. What an agent did for all to see, what only the viewer may know of it, and that it was described are a row
 * each; each side is cut to the page by itself.
 */
export function listAgents(
  query: Query,
  { account_id, viewer }: Viewer,
  page: { after: string; limit: number },
): Promise<SeenAgent[]> {
  const active = (visibleTo: string) =>
    sql`SELECT * FROM (SELECT agent_id, first_at, last_at FROM agents
          WHERE account_id = ${account_id} AND visible_to = ${visibleTo} AND agent_id > ${page.after}
          ORDER BY agent_id LIMIT ${page.limit}) AS active`;
  return query.all<SeenAgent>(
    sql`${active('')} UNION ALL ${active(viewer)} UNION ALL ${described(account_id, page)} ORDER BY agent_id`,
  );
}

const described = (accountId: string, page: { after: string; limit: number }): Sql =>
  sql`SELECT * FROM (SELECT agent_id, created_at AS first_at, CAST(NULL AS BIGINT) AS last_at
        FROM agent_profiles WHERE account_id = ${accountId} AND agent_id > ${page.after}
        ORDER BY agent_id LIMIT ${page.limit}) AS described`;

export function listDescribed(
  query: Query,
  accountId: string,
  page: { after: string; limit: number },
): Promise<SeenAgent[]> {
  return query.all<SeenAgent>(sql`${described(accountId, page)} ORDER BY agent_id`);
}

export function getAgent(query: Query, { account_id, viewer }: Viewer, agentId: string): Promise<SeenAgent[]> {
  return query.all<SeenAgent>(
    sql`SELECT agent_id, first_at, last_at FROM agents
        WHERE account_id = ${account_id} AND agent_id = ${agentId} AND visible_to IN ('', ${viewer})`,
  );
}

/** How many current entries agents wrote, by name from the first to the last. */
export function countWritten(
  query: Query,
  { account_id, viewer, branch }: Viewer & { branch: string },
  { first, last }: { first: string; last: string },
): Promise<{ name: string; n: number }[]> {
  const side = (visibleTo: string) =>
    sql`SELECT name, n FROM counts WHERE account_id = ${account_id} AND branch = ${branch} AND kind = 'agent'
          AND visible_to = ${visibleTo} AND name >= ${first} AND name <= ${last}`;
  return query.all(sql`${side('')} UNION ALL ${side(viewer)}`);
}

/** Who wrote what is at some paths, as far as `scan` entries tell: how many, and when first and last. */
export type WriterSeen = { agent_id: string; n: number; first_at: number; last_at: number };

/** Only what the view shows is looked at, so that an agent that wrote elsewhere is not there. */
export function listSeenWriters(
  query: Query,
  view: EntryView,
  { where, after, scan, limit }: { where: readonly Sql[]; after: string; scan: number; limit: number },
): Promise<WriterSeen[]> {
  return query.all<WriterSeen>(
    sql`SELECT agent_id, count(*) AS n, min(written_at) AS first_at, max(written_at) AS last_at FROM (
          SELECT agent_id, written_at FROM ${entriesIn(view, { including: 'undeleted' })} WHERE true${andAll(where)}
            LIMIT ${scan}) AS looked_at
        WHERE agent_id > ${after} GROUP BY agent_id ORDER BY agent_id LIMIT ${limit}`,
  );
}

export type ProfileRow = {
  agent_id: string;
  description: string | null;
  platform: string | null;
  default_branch: string | null;
  auto_context_paths: string;
  tags: string;
  session_metadata: string;
  capabilities: string;
  contracts: string;
  created_at: number;
  updated_at: number;
};

export type ListedProfile = Pick<ProfileRow, 'agent_id' | 'description' | 'platform' | 'tags'>;

export function listProfiles(
  query: Query,
  accountId: string,
  page: { after: string; limit: number },
): Promise<ListedProfile[]> {
  return query.all<ListedProfile>(
    sql`SELECT agent_id, description, platform, tags FROM agent_profiles
        WHERE account_id = ${accountId} AND agent_id > ${page.after} ORDER BY agent_id LIMIT ${page.limit}`,
  );
}

export type DeclaredProfile = ListedProfile & Pick<ProfileRow, 'capabilities'>;

/** Of those who declare something. */
export function listDeclared(
  query: Query,
  accountId: string,
  page: { after: string; limit: number },
): Promise<DeclaredProfile[]> {
  return query.all<DeclaredProfile>(
    sql`SELECT agent_id, description, platform, tags, capabilities FROM agent_profiles
        WHERE account_id = ${accountId} AND agent_id > ${page.after} AND (capabilities <> '[]' OR tags <> '[]')
        ORDER BY agent_id LIMIT ${page.limit}`,
  );
}

export function getProfile(query: Query, accountId: string, agentId: string): Promise<ProfileRow | undefined> {
  return query.get<ProfileRow>(
    sql`SELECT agent_id, description, platform, default_branch, auto_context_paths, tags, session_metadata, capabilities,
          contracts, created_at, updated_at
        FROM agent_profiles WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
}

/** Sets some columns of a profile, which is made where there is none. */
function upsertProfile(columns: readonly (keyof ProfileRow)[]): Insert {
  const updates = [...columns, 'updated_at'].map((column) => `${column} = excluded.${column}`);
  return {
    table: 'agent_profiles',
    columns: {
      account_id: 'text',
      agent_id: 'text',
      ...Object.fromEntries(columns.map((column) => [column, 'text' as const])),
      created_at: 'int',
      updated_at: 'int',
    },
    suffix: `ON CONFLICT (account_id, agent_id) DO UPDATE SET ${updates.join(', ')}`,
  };
}

export const setProfile = upsertProfile([
  'description',
  'platform',
  'default_branch',
  'auto_context_paths',
  'tags',
  'session_metadata',
]);
export const setCapabilities = upsertProfile(['capabilities']);
export const setContracts = upsertProfile(['contracts']);

export type Writer = { agent_id: string; n: number };

/** Who wrote most of what is at a path and below it, as far as `scan` entries of each tell. */
export function listWriters(
  query: Query,
  view: EntryView,
  { entity_path, scan, limit }: { entity_path: string; scan: number; limit: number },
): Promise<Writer[]> {
  const some = (glob: Glob) =>
    sql`SELECT * FROM (SELECT agent_id FROM ${entriesIn(view, { paths: [glob] })}
          ORDER BY entity_path, key LIMIT ${scan}) AS part`;
  const here = some({ kind: 'exact', path: entity_path });
  const below = some({ kind: 'below', base: entity_path });
  return query.all<Writer>(
    sql`SELECT agent_id, count(*) AS n FROM (${here} UNION ALL ${below}) AS looked_at
        GROUP BY agent_id ORDER BY n DESC, agent_id LIMIT ${limit}`,
  );
}
