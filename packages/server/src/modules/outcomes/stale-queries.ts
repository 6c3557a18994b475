import { andAll, type FirstRows, fragment, type Insert, type Query, type Sql, sql } from '../../db/index.ts';
import { type Viewer, visibleTo } from '../../kernel/index.ts';

/** Something that a session had read and others had changed when its outcome was committed. */
export type StaleReadRow = {
  account_id: string;
  /** The `seq` of the outcome. */
  seq: number;
  no: number;
  agent_id: string;
  /** The branch of the outcome, and that of the entry. */
  branch: string;
  read_branch: string;
  entity_path: string;
  key: string;
  read_version: number;
  current_version: number | null;
  changed_by: string | null;
  value_changed: number;
  visible_to: string;
};

export const insertStaleReads: Insert = {
  table: 'stale_reads',
  columns: {
    account_id: 'text',
    seq: 'int',
    no: 'int',
    agent_id: 'text',
    branch: 'text',
    read_branch: 'text',
    entity_path: 'text',
    key: 'text',
    read_version: 'int',
    current_version: 'int',
    changed_by: 'text',
    value_changed: 'int',
    visible_to: 'text',
  },
};

const STALE_READ = fragment(Object.keys(insertStaleReads.columns).join(', '));

export type StalePage = {
  where: readonly Sql[];
  filters: readonly Sql[];
  scan: number;
  limit: number;
  bytes: number;
};

const lookedAt = (viewer: Viewer, { where }: StalePage): Sql =>
  sql`FROM stale_reads WHERE account_id = ${viewer.account_id} AND ${visibleTo(viewer.agent_id)}${andAll(where)}
      ORDER BY seq DESC, no DESC`;

/** Newest first, among the newest `scan` of them. */
export function listStale(query: Query, viewer: Viewer, page: StalePage): Promise<FirstRows<StaleReadRow>> {
  return query.first<StaleReadRow>(
    sql`SELECT * FROM (SELECT ${STALE_READ} ${lookedAt(viewer, page)} LIMIT ${page.scan}) AS looked_at
        WHERE true${andAll(page.filters)} ORDER BY seq DESC, no DESC LIMIT ${page.limit}`,
    { columns: ['entity_path', 'key', 'agent_id'], bytes: page.bytes },
  );
}

/** The last one that such a list looks at, where more follow it. */
export function endOfStale(query: Query, viewer: Viewer, page: StalePage): Promise<StalePosition | undefined> {
  return query.get<StalePosition>(sql`SELECT seq, no ${lookedAt(viewer, page)} LIMIT 1 OFFSET ${page.scan - 1}`);
}

export type StalePosition = Pick<StaleReadRow, 'seq' | 'no'>;
