import { andAll, type FirstRows, fragment, type Insert, type Query, sql } from '@mem-service/server/module';

export type BehaviorRow = {
  account_id: string;
  behavior_id: string;
  version: number;
  name: string;
  description: string;
  status: string;
  /** JSON: checks. */
  matcher: string;
  for_agent: string | null;
  for_path: string | null;
  /** The example that it was found in, and whose trace that is. */
  trace_id: string | null;
  trace_agent: string | null;
  backfill_id: string | null;
  /** 1 or 0. */
  opens_incidents: number;
  /** Who last changed it. */
  agent_id: string;
  created_at: number;
  updated_seq: number;
  updated_at: number;
};

export const upsertBehaviors: Insert = {
  table: 'behaviors',
  columns: {
    account_id: 'text',
    behavior_id: 'text',
    version: 'int',
    name: 'text',
    description: 'text',
    status: 'text',
    matcher: 'text',
    for_agent: 'text',
    for_path: 'text',
    trace_id: 'text',
    trace_agent: 'text',
    backfill_id: 'text',
    opens_incidents: 'int',
    agent_id: 'text',
    created_at: 'int',
    updated_seq: 'int',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, behavior_id) DO UPDATE SET version = excluded.version, name = excluded.name,
    description = excluded.description, status = excluded.status, matcher = excluded.matcher,
    for_agent = excluded.for_agent, for_path = excluded.for_path, trace_id = excluded.trace_id,
    trace_agent = excluded.trace_agent, backfill_id = excluded.backfill_id, opens_incidents = excluded.opens_incidents,
    agent_id = excluded.agent_id, updated_seq = excluded.updated_seq, updated_at = excluded.updated_at`,
};

const BEHAVIOR = fragment(Object.keys(upsertBehaviors.columns).join(', '));

export function getBehavior(query: Query, accountId: string, id: string): Promise<BehaviorRow | undefined> {
  return query.get(sql`SELECT ${BEHAVIOR} FROM behaviors WHERE account_id = ${accountId} AND behavior_id = ${id}`);
}

/** Active ones are looked for in new traces. */
export function listActive(query: Query, accountId: string): Promise<BehaviorRow[]> {
  return query.all(
    sql`SELECT ${BEHAVIOR} FROM behaviors WHERE account_id = ${accountId} AND status = 'active' ORDER BY behavior_id`,
  );
}

/** Those that open no incidents. */
export async function listWithoutIncidents(query: Query, accountId: string): Promise<string[]> {
  const found = await query.all<Pick<BehaviorRow, 'behavior_id'>>(
    sql`SELECT behavior_id FROM behaviors WHERE account_id = ${accountId} AND opens_incidents = 0 ORDER BY behavior_id`,
  );
  return found.map(({ behavior_id }) => behavior_id);
}

export type BehaviorPage = {
  account_id: string;
  for_agent: string | undefined;
  status: string | undefined;
  after: string;
  limit: number;
  bytes: number;
};

export function listBehaviors(query: Query, page: BehaviorPage): Promise<FirstRows<BehaviorRow>> {
  const { account_id, for_agent, status, after, limit, bytes } = page;
  const filters = [
    status === undefined ? sql`status <> 'archived'` : sql`status = ${status}`,
    ...(for_agent === undefined ? [] : [sql`(for_agent IS NULL OR for_agent = ${for_agent})`]),
  ];
  return query.first(
    sql`SELECT ${BEHAVIOR} FROM behaviors WHERE account_id = ${account_id} AND behavior_id > ${after}${andAll(filters)}
        ORDER BY behavior_id LIMIT ${limit}`,
    { columns: ['matcher', 'description'], bytes },
  );
}

/** Whether an account has at least this many that are not archived. */
export async function hasBehaviors(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT behavior_id FROM behaviors WHERE account_id = ${accountId} AND status <> 'archived'
        ORDER BY behavior_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}
