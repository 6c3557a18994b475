import { andAll, type Find, type Query, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { placesIn } from '../entries/index.ts';
import type { CountDelta, CountKind } from './rules.ts';

/** Counts the current entries of an account, regardless of who may see them. */
export async function countEntries(query: Query, accountId: string): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS n FROM counts WHERE account_id = ${accountId} AND kind = 'all'`,
  );
  return row?.n ?? 0;
}

/** How many current entries of a branch an agent may see, and how many others it may not. */
export async function countShown(
  query: Query,
  { account_id, agent_id, branch }: { account_id: string; agent_id: string; branch: string },
): Promise<{ shown: number; hidden: number }> {
  const row = await query.get<{ shown: number; hidden: number }>(
    sql`SELECT CAST(coalesce(sum(CASE WHEN visible_to IN ('', ${agent_id}) THEN n ELSE 0 END), 0) AS BIGINT) AS shown,
          CAST(coalesce(sum(CASE WHEN visible_to IN ('', ${agent_id}) THEN 0 ELSE n END), 0) AS BIGINT) AS hidden
        FROM counts WHERE account_id = ${account_id} AND branch = ${branch} AND kind = 'all'`,
  );
  return row ?? { shown: 0, hidden: 0 };
}

/** How many current entries agents wrote, by name from the first to the last. */
export function countWritten(
  query: Query,
  { account_id, viewer, branch }: { account_id: string; viewer: string; branch: string },
  { first, last }: { first: string; last: string },
): Promise<{ name: string; n: number }[]> {
  const side = (visibleTo: string) =>
    sql`SELECT name, n FROM counts WHERE account_id = ${account_id} AND branch = ${branch} AND kind = 'agent'
          AND visible_to = ${visibleTo} AND name >= ${first} AND name <= ${last}`;
  return query.all(sql`${side('')} UNION ALL ${side(viewer)}`);
}

/** An estimate needs no more paths. */
const MAX_PATHS = 2_000;

/** Estimates the number of entries in the scope of a view, for the weight of a word. */
export async function countInScope(query: Query, view: EntryView): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS n FROM (SELECT n FROM (SELECT branch, name AS entity_path, n FROM counts
        WHERE account_id = ${view.account_id} AND kind = 'entity' AND visible_to IN ('', ${view.agent_id})) AS paths
        WHERE true${andAll(placesIn(view))} LIMIT ${MAX_PATHS}) AS some_paths`,
  );
  return row?.n ?? 0;
}

/** Paths of a view with at least so many shared entries, by name, among the first `looked_at` paths. */
export function listLargePaths(
  query: Query,
  view: EntryView,
  { least, looked_at, most }: { least: number; looked_at: number; most: number },
): Promise<{ entity_path: string }[]> {
  return query.all(
    sql`SELECT entity_path FROM (SELECT entity_path, n FROM (SELECT branch, name AS entity_path, n FROM counts
        WHERE account_id = ${view.account_id} AND kind = 'entity' AND visible_to = '') AS paths
        WHERE true${andAll(placesIn(view))} ORDER BY entity_path LIMIT ${looked_at}) AS some_paths
        WHERE n >= ${least} ORDER BY entity_path LIMIT ${most}`,
  );
}

/** How many paths of a view have shared entries, up to `most`. */
export async function countPaths(query: Query, view: EntryView, most: number): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM (SELECT 1 FROM (SELECT branch, name AS entity_path FROM counts
        WHERE account_id = ${view.account_id} AND kind = 'entity' AND visible_to = '' AND n > 0) AS paths
        WHERE true${andAll(placesIn(view))} LIMIT ${most}) AS some_paths`,
  );
  return Number(row?.n ?? 0);
}

export type SharedCount = Pick<CountDelta, 'n' | 'confidence_sum' | 'last_at' | 'last_agent'>;

const sharedCounts: Find = {
  table: 'counts',
  select: 'n, confidence_sum, last_at, last_agent',
  by: { account_id: 'text', branch: 'text', kind: 'text', visible_to: 'text', name: 'text' },
};

/** The counts of shared entries for names: one result per name, in order. */
export function findSharedCounts(
  query: Query,
  { account_id, branch }: { account_id: string; branch: string },
  names: readonly { kind: CountKind; name: string }[],
): Promise<(SharedCount | undefined)[]> {
  return query.findMany<SharedCount>(
    sharedCounts,
    names.map(({ kind, name }) => [account_id, branch, kind, '', name]),
  );
}
