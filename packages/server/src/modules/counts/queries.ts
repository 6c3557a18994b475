import {
  andAll,
  type Engine,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import type { ErasedEntries } from '../../kernel/index.ts';
import { newestLeft } from '../entries/index.ts';
import type { Delta } from './rules.ts';

const columns = {
  account_id: 'text',
  branch: 'text',
  kind: 'text',
  visible_to: 'text',
  name: 'text',
  n: 'int',
  confidence_sum: 'real',
  last_at: 'int',
  last_agent: 'text',
} as const;

/** Adds to the counts. */
export const addCounts: Insert = {
  table: 'counts',
  columns,
  suffix: `ON CONFLICT (account_id, branch, kind, visible_to, name) DO UPDATE SET
    n = counts.n + excluded.n,
    confidence_sum = CASE WHEN counts.n + excluded.n = 0 THEN 0 ELSE counts.confidence_sum + excluded.confidence_sum END,
    last_at = CASE WHEN excluded.last_at < counts.last_at THEN counts.last_at ELSE excluded.last_at END,
    last_agent = CASE WHEN excluded.last_at < counts.last_at THEN counts.last_agent ELSE excluded.last_agent END`,
};

/** The same, and says what each has come to. */
export const upsertCounts: Insert = { ...addCounts, suffix: `${addCounts.suffix} RETURNING kind, visible_to, name, n` };

export type CountRow = Delta;

export type CountScope = { account_id: string; branch: string; agent_id: string };

const own = ({ account_id, branch }: CountScope, kind: string, visibleTo: string): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch} AND kind = ${kind} AND visible_to = ${visibleTo} AND n > 0`;

const COLUMNS = fragment('name, n, confidence_sum, last_at, last_agent');

export type CountPage = { kind: string; where: readonly Sql[]; limit: number };

/** By name. Public and private counts of one name are two rows; each side is cut to the page by itself. */
export function listCounts(query: Query, scope: CountScope, page: CountPage): Promise<CountRow[]> {
  const side = (visibleTo: string) =>
    sql`SELECT * FROM (SELECT ${COLUMNS} FROM counts WHERE ${own(scope, page.kind, visibleTo)}${andAll(page.where)}
        ORDER BY name LIMIT ${page.limit}) AS side`;
  return query.all<CountRow>(sql`${side('')} UNION ALL ${side(scope.agent_id)} ORDER BY name`);
}

/** Names that only the agent itself can see. */
export function countPrivateNames(query: Query, scope: CountScope, kind: string): Promise<{ n: number } | undefined> {
  return query.get(
    sql`SELECT count(*) AS n FROM counts AS mine
        WHERE mine.account_id = ${scope.account_id} AND mine.branch = ${scope.branch} AND mine.kind = ${kind}
          AND mine.visible_to = ${scope.agent_id} AND mine.n > 0 AND NOT EXISTS (
            SELECT 1 FROM counts AS shared WHERE shared.account_id = ${scope.account_id} AND shared.branch = ${scope.branch}
              AND shared.kind = ${kind} AND shared.visible_to = '' AND shared.name = mine.name AND shared.n > 0)`,
  );
}

/** Paths whose newest entry is erased show the newest of those that are left. */
export function refreshEntities(tx: Transaction, erased: ErasedEntries, paths: Sql): Promise<number> {
  const { account_id, branch } = erased;
  const counted = sql`entity_path = name AND (visible_to = '' AND shared = 1 OR visible_to = agent_id AND shared = 0)`;
  return tx.run(
    sql`UPDATE counts SET (last_at, last_agent) = (${newestLeft(erased, counted)})
        WHERE account_id = ${account_id} AND branch = ${branch} AND kind = 'entity' AND n > 0
          AND name IN (SELECT value FROM ${paths})`,
  );
}

/** Names of which nothing is left. */
export function deleteEmptyCounts(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM counts WHERE account_id = ${accountId} AND n = 0`);
}

/** The oldest or the newest current entry that the agent may see. */
export function getEdgeTime(
  query: Query,
  scope: CountScope & { now: number; within?: readonly Sql[] },
  newest: boolean,
): Promise<{ written_at: number } | undefined> {
  // Of a small part the entries are found by their paths; by the index on `seq` all others would be passed first.
  const place = fragment(scope.within ? '(seq + 0)' : 'seq');
  return query.get(
    sql`SELECT written_at FROM entries WHERE account_id = ${scope.account_id} AND branch = ${scope.branch} AND deleted = 0
          AND (shared = 1 OR agent_id = ${scope.agent_id}) AND (ttl_at IS NULL OR ttl_at > ${scope.now})${andAll(scope.within ?? [])}
        ORDER BY ${place} ${fragment(newest ? 'DESC' : 'ASC')} LIMIT 1`,
  );
}

/** Current entries that the agent may see, as they are counted: what has expired is there until it is swept. */
const counted = (scope: CountScope, within: readonly Sql[]): Sql =>
  sql`FROM entries WHERE account_id = ${scope.account_id} AND branch = ${scope.branch} AND deleted = 0
        AND (shared = 1 OR agent_id = ${scope.agent_id})${andAll(within)}`;

export type Totals = { n: number; confidence_sum: number; paths: number; agents: number };

/** For a part of the account, which nobody has counted before. */
export function countTotals(query: Query, scope: CountScope, within: readonly Sql[]): Promise<Totals | undefined> {
  return query.get<Totals>(
    sql`SELECT count(*) AS n, coalesce(sum(confidence), 0) AS confidence_sum, count(DISTINCT entity_path) AS paths,
          count(DISTINCT agent_id) AS agents ${counted(scope, within)}`,
  );
}

export function countTypes(query: Query, scope: CountScope, within: readonly Sql[]) {
  return query.all<{ memory_type: string; n: number }>(
    sql`SELECT memory_type, count(*) AS n ${counted(scope, within)} GROUP BY memory_type ORDER BY memory_type`,
  );
}

export type PatternUse = { name: string; n: number; last_at: number };

/** References of patterns and how many entries carry each, by name. */
const patterns = (engine: Engine, scope: CountScope, within: readonly Sql[]): Sql => {
  const refs =
    engine === 'sqlite'
      ? 'json_each(carrying.pattern_refs) AS refs'
      : 'jsonb_array_elements_text(CAST(carrying.pattern_refs AS jsonb)) AS refs(value)';
  const name = fragment(engine === 'sqlite' ? 'refs.value' : 'refs.value COLLATE "C"');
  return sql`SELECT name, count(*) AS n, max(written_at) AS last_at FROM (
      SELECT DISTINCT ${name} AS name, carrying.entry_id, carrying.written_at
      FROM (SELECT entry_id, written_at, pattern_refs ${counted(scope, within)} AND pattern_refs <> '[]') AS carrying,
        ${fragment(refs)}) AS uses GROUP BY name`;
};

export function listPatterns(
  query: Query,
  { engine, ...scope }: CountScope & { engine: Engine },
  { within, after, limit }: { within: readonly Sql[]; after: string; limit: number },
): Promise<PatternUse[]> {
  return query.all<PatternUse>(
    sql`SELECT name, n, last_at FROM (${patterns(engine, scope, within)}) AS named WHERE name > ${after}
        ORDER BY name LIMIT ${limit}`,
  );
}

export async function countPatterns(
  query: Query,
  { engine, ...scope }: CountScope & { engine: Engine },
  within: readonly Sql[],
): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM (${patterns(engine, scope, within)}) AS named`,
  );
  return row?.n ?? 0;
}
