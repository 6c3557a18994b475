import type { Glob } from '@mem-service/contract';
import { andAll, fragment, type Insert, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { EntryView, ErasedEntries } from '../../kernel/index.ts';
import { entriesIn, newestLeft } from '../entries/index.ts';
import type { CountDelta } from './rules.ts';

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

export const addCounts: Insert = {
  table: 'counts',
  columns,
  suffix: `ON CONFLICT (account_id, branch, kind, visible_to, name) DO UPDATE SET
    n = counts.n + excluded.n,
    confidence_sum = CASE WHEN counts.n + excluded.n = 0 THEN 0 ELSE counts.confidence_sum + excluded.confidence_sum END,
    last_at = CASE WHEN excluded.last_at < counts.last_at THEN counts.last_at ELSE excluded.last_at END,
    last_agent = CASE WHEN excluded.last_at < counts.last_at THEN counts.last_agent ELSE excluded.last_agent END`,
};

/** The same, and returns the new value of each count. */
export const upsertCounts: Insert = { ...addCounts, suffix: `${addCounts.suffix} RETURNING kind, visible_to, name, n` };

export type CountRow = CountDelta;

export type CountView = { account_id: string; branch: string; agent_id: string };

const own = ({ account_id, branch }: CountView, kind: string, visibleTo: string): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch} AND kind = ${kind} AND visible_to = ${visibleTo} AND n > 0`;

const COLUMNS = fragment('name, n, confidence_sum, last_at, last_agent');

export type CountPage = { kind: string; where: readonly Sql[]; limit: number };

/** By name. Public and private counts of a name are two rows; each query is limited to the page separately. */
export function listCounts(query: Query, scope: CountView, page: CountPage): Promise<CountRow[]> {
  const side = (visibleTo: string) =>
    sql`SELECT * FROM (SELECT ${COLUMNS} FROM counts WHERE ${own(scope, page.kind, visibleTo)}${andAll(page.where)}
        ORDER BY name LIMIT ${page.limit}) AS side`;
  return query.all<CountRow>(sql`${side('')} UNION ALL ${side(scope.agent_id)} ORDER BY name`);
}

/** Counts names that only the agent itself can see. */
export function countPrivateNames(query: Query, scope: CountView, kind: string): Promise<{ n: number } | undefined> {
  return query.get(
    sql`SELECT count(*) AS n FROM counts AS mine
        WHERE mine.account_id = ${scope.account_id} AND mine.branch = ${scope.branch} AND mine.kind = ${kind}
          AND mine.visible_to = ${scope.agent_id} AND mine.n > 0 AND NOT EXISTS (
            SELECT 1 FROM counts AS shared WHERE shared.account_id = ${scope.account_id} AND shared.branch = ${scope.branch}
              AND shared.kind = ${kind} AND shared.visible_to = '' AND shared.name = mine.name AND shared.n > 0)`,
  );
}

/** A path whose newest entry was erased shows the newest one that is left. */
export function refreshEntities(tx: Transaction, erased: ErasedEntries, paths: Sql): Promise<number> {
  const { account_id, branch } = erased;
  const counted = sql`entity_path = name AND (visible_to = '' AND shared = 1 OR visible_to = agent_id AND shared = 0)`;
  return tx.run(
    sql`UPDATE counts SET (last_at, last_agent) = (${newestLeft(erased, counted)})
        WHERE account_id = ${account_id} AND branch = ${branch} AND kind = 'entity' AND n > 0
          AND name IN (SELECT value FROM ${paths})`,
  );
}

/** Deletes counts that have dropped to zero. */
export function deleteEmptyCounts(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM counts WHERE account_id = ${accountId} AND n = 0`);
}

/** Returns the oldest or the newest entry of a view. */
export function getEdgeTime(
  query: Query,
  view: EntryView,
  newest: boolean,
): Promise<{ written_at: number } | undefined> {
  // Within a small scope entries are found by path; the index on `seq` would scan all others first.
  const place = fragment(view.scope ? '(seq + 0)' : 'seq');
  return query.get(
    sql`SELECT written_at FROM ${entriesIn(view)} ORDER BY ${place} ${fragment(newest ? 'DESC' : 'ASC')} LIMIT 1`,
  );
}

/** The entries of a view that counts include: expired ones count until they are swept. */
const counted = (view: EntryView): Sql => entriesIn(view, { including: 'undeleted' });

export type Totals = { n: number; confidence_sum: number; paths: number; agents: number };

/** For a view without stored counts. */
export function countTotals(query: Query, view: EntryView): Promise<Totals | undefined> {
  return query.get<Totals>(
    sql`SELECT count(*) AS n, coalesce(sum(confidence), 0) AS confidence_sum, count(DISTINCT entity_path) AS paths,
          count(DISTINCT agent_id) AS agents FROM ${entriesIn(view, { including: 'undeleted', standings: true })}`,
  );
}

export function countTypes(query: Query, view: EntryView) {
  return query.all<{ memory_type: string; n: number }>(
    sql`SELECT memory_type, count(*) AS n FROM ${counted(view)} GROUP BY memory_type ORDER BY memory_type`,
  );
}

/** Paths by name, each with the time and the author of its newest entry. */
export function listEntities(
  query: Query,
  view: EntryView,
  { paths, from, after, limit }: { paths: readonly Glob[] | undefined; from: string; after: string; limit: number },
): Promise<CountRow[]> {
  const here = (standings: boolean) => entriesIn(view, { including: 'undeleted', paths, standings });
  return query.all<CountRow>(
    sql`SELECT grouped.name, grouped.n, grouped.confidence_sum, newest.written_at AS last_at, newest.agent_id AS last_agent
        FROM (SELECT entity_path AS name, count(*) AS n, sum(confidence) AS confidence_sum, max(seq) AS last_seq
          FROM ${here(true)} WHERE entity_path > ${after} AND entity_path >= ${from} GROUP BY entity_path ORDER BY entity_path LIMIT ${limit}) AS grouped
        JOIN (SELECT seq, written_at, agent_id FROM ${here(false)}) AS newest ON newest.seq = grouped.last_seq
        ORDER BY grouped.name`,
  );
}

/** What is at a path, or with a slash at its end everything below one; and how many rows of each kind it was added up from. */
export type PathBlock = {
  block: string;
  n: number;
  paths: number;
  last_at: number;
  shared_rows: number;
  own_rows: number;
};

/** Blocks below a prefix (empty, or with a slash at its end) after another one; at most `scan` rows are looked at. */
export type BlockRange = { prefix: string; where: readonly Sql[]; after: string; scan: number; limit: number };

const blockOf = (column: string, { prefix }: BlockRange, { engine }: EntryView['dialect']): Sql => {
  const [name, find] = [fragment(column), fragment(engine === 'sqlite' ? 'instr' : 'strpos')];
  const start = [...prefix].length;
  const slash = sql`${find}(substr(${name}, ${start + 1}), '/')`;
  return sql`CASE WHEN ${slash} = 0 THEN ${name} ELSE substr(${name}, 1, ${start} + ${slash}) END`;
};

/** The character after the slash begins after everything below a path. */
const afterBlock = (column: string, block: string): Sql => {
  const name = fragment(column);
  return block.endsWith('/') ? sql`${name} >= ${`${block.slice(0, -1)}0`}` : sql`${name} > ${block}`;
};

const addedUp = (rows: Sql, limit: number): Sql =>
  sql`SELECT block, CAST(sum(n) AS BIGINT) AS n, count(DISTINCT name) AS paths, max(last_at) AS last_at,
        CAST(sum(1 - own) AS BIGINT) AS shared_rows, CAST(sum(own) AS BIGINT) AS own_rows
      FROM (${rows}) AS named GROUP BY block ORDER BY block LIMIT ${limit}`;

/** From the counts that are stored. */
export function listCountedBlocks(
  query: Query,
  view: EntryView,
  { scope, range }: { scope: CountView; range: BlockRange },
): Promise<PathBlock[]> {
  const where = [...range.where, afterBlock('name', range.after)];
  const side = (visibleTo: string, isOwn: number) =>
    sql`SELECT * FROM (SELECT name, n, last_at, ${blockOf('name', range, view.dialect)} AS block, ${fragment(String(isOwn))} AS own FROM counts
        WHERE ${own(scope, 'entity', visibleTo)}${andAll(where)} ORDER BY name LIMIT ${range.scan}) AS side`;
  return query.all<PathBlock>(addedUp(sql`${side('', 0)} UNION ALL ${side(scope.agent_id, 1)}`, range.limit));
}

/** The same from the entries, for a view without stored counts. */
export function listEntryBlocks(
  query: Query,
  view: EntryView,
  { paths, range }: { paths: readonly Glob[] | undefined; range: BlockRange },
): Promise<PathBlock[]> {
  const block = blockOf('entity_path', range, view.dialect);
  return query.all<PathBlock>(
    addedUp(
      sql`SELECT entity_path AS name, 1 AS n, written_at AS last_at, ${block} AS block, 0 AS own
          FROM ${entriesIn(view, { including: 'undeleted', paths })}
          WHERE ${afterBlock('entity_path', range.after)} ORDER BY entity_path LIMIT ${range.scan}`,
      range.limit,
    ),
  );
}

export type PatternUse = { name: string; n: number; last_at: number };

/** Pattern references and how many entries have each, by name. */
const patterns = (view: EntryView): Sql => {
  const isSqlite = view.dialect.engine === 'sqlite';
  const refs = isSqlite
    ? 'json_each(carrying.pattern_refs) AS refs'
    : 'jsonb_array_elements_text(CAST(carrying.pattern_refs AS jsonb)) AS refs(value)';
  const name = fragment(isSqlite ? 'refs.value' : 'refs.value COLLATE "C"');
  return sql`SELECT name, count(*) AS n, max(written_at) AS last_at FROM (
      SELECT DISTINCT ${name} AS name, carrying.entry_id, carrying.written_at
      FROM (SELECT entry_id, written_at, pattern_refs FROM ${counted(view)} WHERE pattern_refs <> '[]') AS carrying,
        ${fragment(refs)}) AS uses GROUP BY name`;
};

export function listPatterns(
  query: Query,
  view: EntryView,
  { after, limit }: { after: string; limit: number },
): Promise<PatternUse[]> {
  return query.all<PatternUse>(
    sql`SELECT name, n, last_at FROM (${patterns(view)}) AS named WHERE name > ${after} ORDER BY name LIMIT ${limit}`,
  );
}

export async function countPatterns(query: Query, view: EntryView): Promise<number> {
  const row = await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM (${patterns(view)}) AS named`);
  return row?.n ?? 0;
}
