import {
  andAll,
  type Find,
  fragment,
  type Glob,
  globConditions,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';

export type DetectedRow = {
  account_id: string;
  pattern_id: string;
  pattern_type: string;
  severity: string;
  /** Critical ones first, then the newest. */
  list_order: number;
  weight: number;
  entity_path: string | null;
  of_agent: string | null;
  branch: string;
  pull_request_id: string | null;
  status: string;
  /** JSON of numbers. */
  figures: string;
  /** JSON of the numbers of entries and the ids of traces. */
  evidence: string;
  evidence_seq: number;
  /** The scan that found it last, by its event. */
  scan_seq: number;
  reopened: number;
  /** The event that opened it, the last time. */
  seq: number;
  detected_at: number;
  opened_at: number;
  updated_at: number;
  /** How far the log was when it was resolved. */
  resolved_seq: number | null;
  resolved_at: number | null;
  resolved_by: string | null;
  reason: string;
};

const patternColumns = {
  account_id: 'text',
  pattern_id: 'text',
  pattern_type: 'text',
  severity: 'text',
  list_order: 'int',
  weight: 'real',
  entity_path: 'text',
  of_agent: 'text',
  branch: 'text',
  pull_request_id: 'text',
  status: 'text',
  figures: 'text',
  evidence: 'text',
  evidence_seq: 'int',
  scan_seq: 'int',
  reopened: 'int',
  seq: 'int',
  detected_at: 'int',
  opened_at: 'int',
  updated_at: 'int',
  resolved_seq: 'int',
  resolved_at: 'int',
  resolved_by: 'text',
  reason: 'text',
} as const;

const setAllAfter = (columns: object, keys: number): string =>
  Object.keys(columns)
    .slice(keys)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ');

export const upsertPatterns: Insert = {
  table: 'detected_patterns',
  columns: patternColumns,
  suffix: `ON CONFLICT (account_id, pattern_id) DO UPDATE SET ${setAllAfter(patternColumns, 2)}`,
};

const PATTERN = Object.keys(patternColumns).join(', ');
const patternsById: Find = {
  table: 'detected_patterns',
  select: PATTERN,
  by: { account_id: 'text', pattern_id: 'text' },
};

/** One result per id, in order. */
export function findPatterns(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<(DetectedRow | undefined)[]> {
  return query.findMany<DetectedRow>(
    patternsById,
    ids.map((id) => [accountId, id]),
  );
}

export function getPattern(query: Query, accountId: string, id: string): Promise<DetectedRow | undefined> {
  return query.get(
    sql`SELECT ${fragment(PATTERN)} FROM detected_patterns WHERE account_id = ${accountId} AND pattern_id = ${id}`,
  );
}

export type PatternPage = { account_id: string; after: number; filters: readonly Sql[]; limit: number };

export function listPatterns(query: Query, { account_id, after, filters, limit }: PatternPage): Promise<DetectedRow[]> {
  return query.all(
    sql`SELECT ${fragment(PATTERN)} FROM detected_patterns WHERE account_id = ${account_id} AND list_order > ${after}${andAll(filters)}
        ORDER BY list_order LIMIT ${limit}`,
  );
}

/** A condition: the pattern concerns an agent. */
export const concerns = (accountId: string, agentId: string): Sql =>
  sql`EXISTS (SELECT 1 FROM pattern_agents WHERE pattern_agents.account_id = ${accountId}
      AND pattern_agents.pattern_id = detected_patterns.pattern_id AND pattern_agents.agent_id = ${agentId})`;

export type PatternAgentRow = { account_id: string; pattern_id: string; agent_id: string };

export const insertPatternAgents: Insert = {
  table: 'pattern_agents',
  columns: { account_id: 'text', pattern_id: 'text', agent_id: 'text' },
  suffix: 'ON CONFLICT (account_id, pattern_id, agent_id) DO NOTHING',
};

export async function listAgentsOf(query: Query, accountId: string, id: string): Promise<string[]> {
  const rows = await query.all<{ agent_id: string }>(
    sql`SELECT agent_id FROM pattern_agents WHERE account_id = ${accountId} AND pattern_id = ${id} ORDER BY agent_id`,
  );
  return rows.map(({ agent_id }) => agent_id);
}

/** `ids` as the dialect makes `texts`. */
export function deleteAgentsOf(tx: Transaction, accountId: string, ids: Sql): Promise<number> {
  return tx.run(
    sql`DELETE FROM pattern_agents WHERE account_id = ${accountId} AND pattern_id IN (SELECT value FROM ${ids})`,
  );
}

/** Those of them that have this status; `ids` as the dialect makes `texts`. */
export async function deletePatterns(
  tx: Transaction,
  accountId: string,
  { ids, status }: { ids: Sql; status: string },
): Promise<void> {
  await tx.run(
    sql`DELETE FROM detected_patterns WHERE account_id = ${accountId} AND status = ${status}
          AND pattern_id IN (SELECT value FROM ${ids})`,
  );
}

/** What was erased with its path or agent leaves the names of other agents behind. */
export function deleteLeftAgents(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(
    sql`DELETE FROM pattern_agents WHERE account_id = ${accountId} AND NOT EXISTS (SELECT 1 FROM detected_patterns
          WHERE detected_patterns.account_id = ${accountId} AND detected_patterns.pattern_id = pattern_agents.pattern_id)`,
  );
}

export type KeptPattern = Pick<DetectedRow, 'pattern_id' | 'pattern_type' | 'severity' | 'weight' | 'status'>;

/** Those that a scan has found so far. */
export function listFoundBy(query: Query, accountId: string, scanSeq: number): Promise<KeptPattern[]> {
  return query.all(
    sql`SELECT pattern_id, pattern_type, severity, weight, status FROM detected_patterns
        WHERE account_id = ${accountId} AND status <> 'cleared' AND scan_seq = ${scanSeq}`,
  );
}

export type UnfoundPart = {
  account_id: string;
  scan_seq: number;
  /** Where the scan looked. */
  paths: Glob | undefined;
  for_agent: string | null;
  limit: number;
};

/** Open ones that a scan has not found where it looked; a scan of paths looks neither at agents nor at branches. */
export function listUnfound(query: Query, part: UnfoundPart): Promise<DetectedRow[]> {
  const { account_id, scan_seq, paths, for_agent, limit } = part;
  const within = [
    ...(paths === undefined ? [] : [sql`entity_path IS NOT NULL`, ...globConditions(paths, 'entity_path')]),
    ...(for_agent === null ? [] : [concerns(account_id, for_agent)]),
  ];
  return query.all(
    sql`SELECT ${fragment(PATTERN)} FROM detected_patterns
        WHERE account_id = ${account_id} AND status = 'open' AND scan_seq < ${scan_seq}${andAll(within)}
        ORDER BY scan_seq LIMIT ${limit}`,
  );
}

/** Patterns of a status that were changed before a time, or beyond the newest `kept`. */
export async function listOld(
  query: Query,
  { account_id, status, before, kept }: { account_id: string; status: string; before: number; kept: number },
): Promise<string[]> {
  const rows = await query.all<{ pattern_id: string }>(
    sql`SELECT pattern_id FROM (SELECT pattern_id, updated_at, row_number() OVER (ORDER BY updated_at DESC, pattern_id) AS place
          FROM detected_patterns WHERE account_id = ${account_id} AND status = ${status}) AS placed
        WHERE updated_at < ${before} OR place > ${kept} LIMIT 1000`,
  );
  return rows.map(({ pattern_id }) => pattern_id);
}

export * from './scan-queries.ts';
