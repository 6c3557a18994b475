import type { Glob } from '@mem-service/contract';
import { andAll, fragment, type Insert, joinSql, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import {
  type EntryView,
  type ErasedEntries,
  isNewestOfOneBranch,
  loggedIn,
  scopeConditions,
  scopedPathConditions,
} from '../../kernel/index.ts';
import { type EntryRow, entriesIn, findShownRows, type Including, stoodEntriesNumbered } from '../entries/index.ts';
import type { MarkKind } from './rules/marks.ts';

export const insertMarks: Insert = {
  table: 'briefing_marks',
  columns: {
    account_id: 'text',
    branch: 'text',
    kind: 'text',
    ancestor: 'text',
    visible_to: 'text',
    rank: 'int',
    entry_id: 'int',
  },
};

/** `ids` as the dialect makes `numbers`. */
export function deleteMarks(tx: Transaction, accountId: string, ids: Sql): Promise<number> {
  return tx.run(
    sql`DELETE FROM briefing_marks WHERE account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})`,
  );
}

export type BriefingMarkRow = { kind: MarkKind; rank: number; entry_id: number };
export type MarksAsked = { kinds: readonly MarkKind[]; roots: readonly string[]; each: number };

/** The newest marks of each kind below some paths, `each` at most of one kind, path and visibility. */
export function listMarks(
  query: Query,
  view: EntryView,
  { kinds, roots, each }: MarksAsked,
): Promise<BriefingMarkRow[]> {
  const branches = [...new Set(view.lineage.map(({ branch }) => branch))];
  const places = branches.flatMap((branch) => roots.map((root) => ({ branch, root })));
  const ranges = kinds.flatMap((kind) =>
    places.flatMap(({ branch, root }) =>
      ['', view.agent_id].map(
        (visibleTo) =>
          sql`SELECT * FROM (SELECT kind, rank, entry_id FROM briefing_marks WHERE account_id = ${view.account_id}
              AND branch = ${branch} AND kind = ${kind} AND ancestor = ${root} AND visible_to = ${visibleTo}
              ORDER BY rank DESC, entry_id DESC LIMIT ${each}) AS newest`,
      ),
    ),
  );
  return query.all<BriefingMarkRow>(joinSql(ranges, ' UNION ALL '));
}

export const insertVisits: Insert = {
  table: 'briefing_visits',
  columns: {
    account_id: 'text',
    agent_id: 'text',
    branch: 'text',
    seq: 'int',
    entity_path: 'text',
    visible_to: 'text',
    read_at: 'int',
  },
  suffix: 'ON CONFLICT (account_id, agent_id, branch, seq, entity_path) DO NOTHING',
};

export type Visitor = { account_id: string; agent_id: string; branch: string };
export type VisitRow = { seq: number; entity_path: string; read_at: number };

const visitsOf = ({ account_id, agent_id, branch }: Visitor): Sql =>
  sql`briefing_visits WHERE account_id = ${account_id} AND agent_id = ${agent_id} AND branch = ${branch}`;

/** Deletes all but the newest sessions of an agent. */
export function deleteOldVisits(tx: Transaction, visitor: Visitor, kept: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM ${visitsOf(visitor)} AND seq < (SELECT min(seq) FROM (
          SELECT DISTINCT seq FROM ${visitsOf(visitor)} ORDER BY seq DESC LIMIT ${kept}) AS newest)`,
  );
}

/** What an agent read in its last sessions, as far as the reader of the view may see, newest first. */
export function listVisits(query: Query, view: EntryView, { agent_id, most }: { agent_id: string; most: number }) {
  return query.all<VisitRow>(
    sql`SELECT seq, entity_path, read_at FROM briefing_visits
        WHERE account_id = ${view.account_id} AND agent_id = ${agent_id} AND ${loggedIn(view)}
          AND visible_to IN ('', ${view.agent_id})${andAll(scopeConditions(view.scope))}
        ORDER BY seq DESC, entity_path LIMIT ${most}`,
  );
}

export function deleteVisitsAt(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(
    sql`DELETE FROM briefing_visits WHERE account_id = ${erased.account_id}${andAll(erased.paths)}
        AND ${erased.names('briefing_visits', 'path')}`,
  );
}

/** An entry of a briefing, without its content. */
export type BriefedRow = Pick<
  EntryRow,
  | 'entry_id'
  | 'version'
  | 'seq'
  | 'deleted'
  | 'shared'
  | 'agent_id'
  | 'written_at'
  | 'ttl_at'
  | 'entity_path'
  | 'key'
  | 'memory_type'
  | 'confidence'
  | 'standing'
  | 'recall_count'
>;

const BRIEFED = fragment(
  'entry_id, version, seq, deleted, shared, agent_id, written_at, ttl_at, entity_path, key, memory_type, confidence, standing, recall_count',
);

/** Those of the entries that the view shows, by the numbers that were asked for. */
export async function findBriefed(
  query: Query,
  view: EntryView,
  { ids, including }: { ids: readonly number[]; including: Including },
): Promise<Map<number, BriefedRow>> {
  if (ids.length === 0) return new Map();
  if (!isNewestOfOneBranch(view)) return findShownRows<BriefedRow>(query, view, { ids, including, columns: BRIEFED });
  const rows = await query.all<BriefedRow>(sql`SELECT ${BRIEFED} FROM ${stoodEntriesNumbered(view, ids, including)}`);
  return new Map(rows.map((row) => [row.entry_id, row]));
}

export type ChangedKey = { entry_id: number; seq: number };
type ChangedWindow = { after: number; most: number; shown: number };

/** Rows that the agent may see; asked after the cut, so that what it may not see costs no more than what it may. */
const isVisible = ({ agent_id }: EntryView): Sql => sql`(shared = 1 OR agent_id = ${agent_id})`;
const CHANGED = fragment('entry_id, seq, shared, agent_id, entity_path');

/** The newest entries of a branch after a `seq`, of the `most` newest those that are at these paths. */
export function listNewest(
  query: Query,
  view: EntryView,
  { after, most, shown, paths }: ChangedWindow & { paths: readonly Glob[] | undefined },
): Promise<ChangedKey[]> {
  const everything = { ...view, scope: undefined };
  const globs = paths ?? [{ kind: 'all' as const }];
  const places = globs.map((glob) => sql`(true${andAll(scopedPathConditions(view.scope, glob))})`);
  return query.all<ChangedKey>(
    sql`SELECT entry_id, seq FROM (SELECT ${CHANGED} FROM ${entriesIn(everything, { including: 'all' })}
          WHERE seq > ${after} ORDER BY seq DESC LIMIT ${most}) AS newest
        WHERE ${isVisible(view)} AND (${joinSql(places, ' OR ')}) ORDER BY seq DESC LIMIT ${shown}`,
  );
}

/** The same of the first `most` entries of each path, in the order of their names. */
export function listNewestAt(
  query: Query,
  view: EntryView,
  { after, most, shown, paths }: ChangedWindow & { paths: readonly Glob[] },
): Promise<ChangedKey[]> {
  const everything = { ...view, scope: undefined };
  const sides = paths.map(
    (glob) =>
      sql`SELECT * FROM (SELECT ${CHANGED} FROM ${entriesIn(everything, { including: 'all', paths: [glob] })}
          ORDER BY entity_path, key LIMIT ${most}) AS side`,
  );
  return query.all<ChangedKey>(
    sql`SELECT entry_id, seq FROM (${joinSql(sides, ' UNION ALL ')}) AS at_paths
        WHERE seq > ${after} AND ${isVisible(view)}${andAll(scopeConditions(view.scope))} ORDER BY seq DESC LIMIT ${shown}`,
  );
}
