import {
  andAll,
  EVERYONE,
  type Find,
  fragment,
  type Insert,
  MAIN_BRANCH,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Viewer,
  visibleTo,
} from '@mem-service/server/module';

export type IncidentRow = {
  account_id: string;
  incident_id: string;
  /** The same for those that were opened by mostly the same traces. */
  group_id: string;
  source_kind: string;
  source_id: string;
  source_version: number;
  /** Empty where it concerns several. */
  of_agent: string;
  branch: string;
  visible_to: string;
  status: string;
  muted_until: number | null;
  rule: string;
  /** The first and the last trace of those that it was opened by; what is counted there is not stored, as traces go. */
  from_seq: number;
  to_seq: number;
  /** The traces that these were compared with. */
  base_from_seq: number | null;
  base_until_seq: number | null;
  /** Traces up to here are what was resolved. */
  resolved_seq: number | null;
  /** How many there were since it was opened, and how many when that was last reported. */
  failures: number;
  reported_failures: number;
  last_trace_seq: number;
  last_failed_at: number;
  /** The event that opened it, the last time; `created_at` is the time of the first. */
  seq: number;
  created_at: number;
  opened_at: number;
  updated_at: number;
};

export const upsertIncidents: Insert = {
  table: 'incidents',
  columns: {
    account_id: 'text',
    incident_id: 'text',
    group_id: 'text',
    source_kind: 'text',
    source_id: 'text',
    source_version: 'int',
    of_agent: 'text',
    branch: 'text',
    visible_to: 'text',
    status: 'text',
    muted_until: 'int',
    rule: 'text',
    from_seq: 'int',
    to_seq: 'int',
    base_from_seq: 'int',
    base_until_seq: 'int',
    resolved_seq: 'int',
    failures: 'int',
    reported_failures: 'int',
    last_trace_seq: 'int',
    last_failed_at: 'int',
    seq: 'int',
    created_at: 'int',
    opened_at: 'int',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, incident_id) DO UPDATE SET group_id = excluded.group_id,
    source_version = excluded.source_version, status = excluded.status, muted_until = excluded.muted_until, rule = excluded.rule, from_seq = excluded.from_seq,
    to_seq = excluded.to_seq, base_from_seq = excluded.base_from_seq, base_until_seq = excluded.base_until_seq,
    resolved_seq = excluded.resolved_seq, failures = excluded.failures, reported_failures = excluded.reported_failures,
    last_trace_seq = excluded.last_trace_seq, last_failed_at = excluded.last_failed_at, seq = excluded.seq,
    opened_at = excluded.opened_at, updated_at = excluded.updated_at`,
};

const COLUMNS = Object.keys(upsertIncidents.columns).join(', ');
const INCIDENT = fragment(COLUMNS);

/** What an incident is about: there is one for each, which is opened again. */
export type IncidentPlace = Pick<IncidentRow, 'source_kind' | 'source_id' | 'of_agent' | 'branch' | 'visible_to'>;

const byPlace: Find = {
  table: 'incidents',
  select: COLUMNS,
  by: {
    account_id: 'text',
    source_kind: 'text',
    source_id: 'text',
    of_agent: 'text',
    branch: 'text',
    visible_to: 'text',
  },
};

/** One result per place, in order. */
export function findIncidents(
  query: Query,
  accountId: string,
  places: readonly IncidentPlace[],
): Promise<(IncidentRow | undefined)[]> {
  const keys = places.map(({ source_kind, source_id, of_agent, branch, visible_to }) => [
    ...[accountId, source_kind, source_id, of_agent, branch, visible_to],
  ]);
  return query.findMany<IncidentRow>(byPlace, keys);
}

export function getIncident(query: Query, viewer: Viewer, incidentId: string): Promise<IncidentRow | undefined> {
  return query.get(
    sql`SELECT ${INCIDENT} FROM incidents WHERE account_id = ${viewer.account_id} AND incident_id = ${incidentId}
        AND ${visibleTo(viewer.agent_id)}`,
  );
}

export type IncidentPage = {
  filters: readonly Sql[];
  /** Each of a group, or only the one that was opened first of those that are asked for. */
  isEach: boolean;
  before: number;
  scan: number;
  limit: number;
};

/** Those that were opened last first; with filters, at most so many are looked at. */
export function listIncidents(query: Query, viewer: Viewer, page: IncidentPage): Promise<IncidentRow[]> {
  const { filters, isEach, before, scan, limit } = page;
  const earlier = sql`SELECT 1 FROM incidents AS earlier WHERE earlier.account_id = ${viewer.account_id}
    AND earlier.group_id = looked_at.group_id AND earlier.seq < looked_at.seq${andAll(filters)}`;
  const only = isEach ? filters : [...filters, sql`NOT EXISTS (${earlier})`];
  return query.all(
    sql`SELECT * FROM (SELECT ${INCIDENT} FROM incidents WHERE account_id = ${viewer.account_id} AND seq < ${before}
          ORDER BY seq DESC LIMIT ${scan}) AS looked_at
        WHERE ${visibleTo(viewer.agent_id)}${andAll(only)} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** The incidents of a group, that which was opened first first. */
export function listGroup(
  query: Query,
  accountId: string,
  { group_id, limit }: Pick<IncidentRow, 'group_id'> & { limit: number },
): Promise<IncidentRow[]> {
  return query.all(
    sql`SELECT ${INCIDENT} FROM incidents WHERE account_id = ${accountId} AND group_id = ${group_id}
        ORDER BY seq LIMIT ${limit}`,
  );
}

/** Of the incidents that were opened last, those about traces that the same may see and that are not resolved, oldest first. */
export function listUnresolved(
  query: Query,
  { account_id, branch, visible_to }: Pick<IncidentRow, 'account_id' | 'branch' | 'visible_to'>,
  scan: number,
): Promise<IncidentRow[]> {
  return query.all(
    sql`SELECT * FROM (SELECT ${INCIDENT} FROM incidents WHERE account_id = ${account_id}
          ORDER BY seq DESC LIMIT ${scan}) AS looked_at
        WHERE branch = ${branch} AND visible_to = ${visible_to} AND status <> 'resolved' ORDER BY seq`,
  );
}

/** The last of a scan, when more may follow it. */
export function endOfScan(
  query: Query,
  { account_id }: Viewer,
  { before, scan }: Pick<IncidentPage, 'before' | 'scan'>,
): Promise<Pick<IncidentRow, 'seq'> | undefined> {
  return query.get(
    sql`SELECT seq FROM incidents WHERE account_id = ${account_id} AND seq < ${before} ORDER BY seq DESC
        LIMIT 1 OFFSET ${scan - 1}`,
  );
}

export type OpenedSpan = { account_id: string; of_agent: string | null; from: number; before: number; limit: number };

/** In how many groups incidents were opened in a part of the log, of those on main that everyone may see; at most so many. */
export async function countOpened(query: Query, span: OpenedSpan): Promise<number> {
  const { account_id, of_agent, from, before, limit } = span;
  const ofAgent = of_agent === null ? [] : [sql`of_agent = ${of_agent}`];
  const found = await query.get<{ n: number }>(
    sql`SELECT CAST(count(DISTINCT group_id) AS BIGINT) AS n FROM (SELECT group_id FROM incidents WHERE account_id = ${account_id}
          AND seq >= ${from} AND seq < ${before} AND branch = ${MAIN_BRANCH} AND visible_to = ${EVERYONE}${andAll(ofAgent)}
          LIMIT ${limit}) AS opened`,
  );
  return found?.n ?? 0;
}

export type IncidentChangeRow = {
  account_id: string;
  incident_id: string;
  seq: number;
  change: string;
  /** Who did it. */
  agent_id: string;
  of_agent: string;
  visible_to: string;
  reason: string;
  failures: number | null;
  muted_until: number | null;
  created_at: number;
};

export const insertChanges: Insert = {
  table: 'incident_changes',
  columns: {
    account_id: 'text',
    incident_id: 'text',
    seq: 'int',
    change: 'text',
    agent_id: 'text',
    of_agent: 'text',
    visible_to: 'text',
    reason: 'text',
    failures: 'int',
    muted_until: 'int',
    created_at: 'int',
  },
};

const CHANGE = fragment(Object.keys(insertChanges.columns).join(', '));

/** The newest, newest first. */
export function listChanges(
  query: Query,
  accountId: string,
  { incident_id, limit }: { incident_id: string; limit: number },
): Promise<IncidentChangeRow[]> {
  return query.all(
    sql`SELECT ${CHANGE} FROM incident_changes WHERE account_id = ${accountId} AND incident_id = ${incident_id}
        ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** Keeps the newest of an incident. */
export function dropOldChanges(
  tx: Transaction,
  accountId: string,
  { incident_id, kept }: { incident_id: string; kept: number },
): Promise<number> {
  return tx.run(
    sql`DELETE FROM incident_changes WHERE account_id = ${accountId} AND incident_id = ${incident_id} AND seq <=
          (SELECT seq FROM incident_changes WHERE account_id = ${accountId} AND incident_id = ${incident_id}
            ORDER BY seq DESC LIMIT 1 OFFSET ${kept})`,
  );
}

/** Incidents whose last failure is in one of these traces. */
export async function deleteEndedWith(tx: Transaction, accountId: string, listed: Sql): Promise<void> {
  const gone = sql`SELECT incident_id FROM incidents WHERE account_id = ${accountId}
    AND last_trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed})`;
  await tx.run(sql`DELETE FROM incident_changes WHERE account_id = ${accountId} AND incident_id IN (${gone})`);
  await tx.run(
    sql`DELETE FROM incidents WHERE account_id = ${accountId}
        AND last_trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed})`,
  );
}
