import type { EntryKey } from '@mem-service/contract';
import {
  andAll,
  emptySql,
  type Find,
  type FirstRows,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import { branchOf, type EntryView, isNewestOfOneBranch, scopeConditions } from '../../kernel/index.ts';
import { entriesIn, entriesNumbered, entryNamed, isEntryIn } from '../entries/index.ts';
import type { Edge } from './rules/edges.ts';
import type { EdgeSide, EdgeStrength, GraphNode, IncidentEdge } from './rules/walk.ts';

export type EdgeRow = Edge & EdgeStrength & { account_id: string };

export const upsertEdges: Insert = {
  table: 'edges',
  columns: {
    account_id: 'text',
    branch: 'text',
    source_type: 'text',
    source: 'text',
    visible_to: 'text',
    relation: 'text',
    target_type: 'text',
    target: 'text',
    confidence: 'real',
    evidence_count: 'int',
    first_seen: 'int',
    last_seen: 'int',
  },
  suffix: `ON CONFLICT (account_id, branch, source_type, source, visible_to, relation, target_type, target) DO UPDATE SET
    confidence = CASE WHEN excluded.confidence > edges.confidence THEN excluded.confidence ELSE edges.confidence END,
    evidence_count = edges.evidence_count + excluded.evidence_count,
    last_seen = excluded.last_seen`,
};

/** The same, and returns the new state of each edge. */
export const upsertEdgesReturning: Insert = {
  ...upsertEdges,
  suffix: `${upsertEdges.suffix} RETURNING confidence, evidence_count, first_seen, last_seen`,
};

export const findEdges: Find = {
  table: 'edges',
  select: 'evidence_count',
  by: {
    account_id: 'text',
    branch: 'text',
    source_type: 'text',
    source: 'text',
    visible_to: 'text',
    relation: 'text',
    target_type: 'text',
    target: 'text',
  },
};

/** Records the `seq` at which a caller asserted an edge. */
export const insertStatements: Insert = {
  table: 'edge_statements',
  columns: { account_id: 'text', edge_id: 'text', seq: 'int' },
};

type IncidentQuery = {
  nodes: readonly GraphNode[];
  sides: readonly EdgeSide[];
  /** Any relation when the list is empty. */
  relations: readonly string[];
  /** The limit of edges per node, side, relation and visibility. */
  limit: number;
  /** The limit of names in all. */
  bytes: number;
  /** The branch that has the edges, where it is another than the view's, and the time that they are older than. */
  of?: EdgeSpan | undefined;
};

/** A part of a branch's edges: those that were there at a time, or all. */
export type EdgeSpan = { branch: string; until: number | null };

const ENDS = {
  out: { here: fragment('source'), other: fragment('target') },
  in: { here: fragment('target'), other: fragment('source') },
} as const;

/**
 * One subquery per range of an index, read backwards and limited: the cost is bounded, however many edges a node has. A
 * join with the nodes could not be limited per node on both engines.
 */
export function listIncident(query: Query, view: EntryView, look: IncidentQuery): Promise<FirstRows<IncidentEdge>> {
  const parts: Sql[] = [];
  const relations = look.relations.length === 0 ? [undefined] : look.relations;
  look.nodes.forEach((node, place) => {
    for (const side of look.sides)
      for (const relation of relations)
        for (const visible_to of ['', view.agent_id])
          parts.push(rangeOf(view, { node, place, side, relation, visible_to, limit: look.limit, of: look.of }));
  });
  return query.first<IncidentEdge>(
    sql`${joinSql(parts, ' UNION ALL ')} ORDER BY place, side DESC, relation DESC, other_type DESC, other DESC`,
    { columns: ['other'], bytes: look.bytes },
  );
}

type EdgeRange = {
  node: GraphNode;
  place: number;
  side: EdgeSide;
  relation: string | undefined;
  visible_to: string;
  limit: number;
  of: EdgeSpan | undefined;
};

/**
 * For a scoped viewer: ends with a path must be in scope, and one end of an edge must have a path. That an agent learned
 * from another, or follows a pattern, is independent of paths.
 */
function endsWithin(view: EntryView, node: GraphNode, side: EdgeSide): Sql {
  const { scope } = view;
  if (scope === undefined) return emptySql;
  const other = ENDS[side].other.text;
  // Entries that a branch inherits are looked up by their names.
  const isEntry = isNewestOfOneBranch(view)
    ? sql` AND ${isEntryIn(view, sql`CAST(edges.${fragment(other)} AS BIGINT)`)}`
    : emptySql;
  const entry = sql`(${fragment(other)}_type = 'entry'${isEntry})`;
  const entity = sql`(${fragment(other)}_type = 'entity'${andAll(scopeConditions(scope, `edges.${other}`))})`;
  const nameless = sql`${fragment(other)}_type NOT IN ('entry', 'entity')`;
  const hasPath = node.type === 'entry' || node.type === 'entity';
  return sql` AND (${entry} OR ${entity}${hasPath ? sql` OR ${nameless}` : emptySql})`;
}

function rangeOf(view: EntryView, { node, place, side, relation, visible_to, limit, of }: EdgeRange): Sql {
  const { here, other } = ENDS[side];
  const { branch, until } = of ?? { branch: branchOf(view), until: null };
  const isThere = until === null ? emptySql : sql` AND first_seen <= ${until}`;
  const ofRelation = relation === undefined ? fragment('') : sql` AND relation = ${relation}`;
  return sql`SELECT * FROM (
      SELECT ${fragment(`${place} AS place, '${side}' AS side`)}, relation, ${other}_type AS other_type, ${other} AS other,
        visible_to, confidence, evidence_count, first_seen, last_seen
      FROM edges WHERE account_id = ${view.account_id} AND branch = ${branch} AND ${here}_type = ${node.type}
        AND ${here} = ${node.id} AND visible_to = ${visible_to}${ofRelation}${isThere}${endsWithin(view, node, side)}
      ORDER BY relation DESC, ${other}_type DESC, ${other} DESC LIMIT ${limit}) AS cut`;
}

export type NamedEntry = { entry_id: number; entity_path: string; key: string };

/** Entries that the agent may see. The edges of a deleted one are kept, and shown again once it is restored. */
const seen = (entries: Sql): Sql => sql`SELECT entry_id, entity_path, key FROM ${entries}`;

/** In order of path and key. */
export function listEntriesWithin(query: Query, view: EntryView, { where, limit }: { where: Sql; limit: number }) {
  const entries = sql`${entriesIn(view)} WHERE ${where}`;
  return query.all<NamedEntry>(sql`${seen(entries)} ORDER BY entity_path, key LIMIT ${limit}`);
}

export const listNamedEntry = (query: Query, view: EntryView, at: EntryKey): Promise<NamedEntry[]> =>
  query.all<NamedEntry>(seen(entryNamed(view, at, {})));

export function listEntriesById(query: Query, view: EntryView, ids: Sql): Promise<NamedEntry[]> {
  return query.all<NamedEntry>(seen(entriesNumbered(view, ids)));
}

export type EntryEdges = { account_id: string; branch: string; nodes: Sql };

const ofErased = ({ account_id, branch, nodes }: EntryEdges, end: 'source' | 'target'): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch} AND ${fragment(end)}_type = 'entry'
      AND ${fragment(end)} IN (SELECT value FROM ${nodes})`;

/** Every edge that ends at one of the entries. */
export function listEdgesOf(query: Query, erased: EntryEdges): Promise<EdgeRow[]> {
  const ofEnd = (end: 'source' | 'target') => sql`SELECT * FROM edges WHERE ${ofErased(erased, end)}`;
  return query.all<EdgeRow>(sql`${ofEnd('source')} UNION ${ofEnd('target')}`);
}

/** The paths that entries are linked to by edges that everybody may see, each with the entry. */
export function listPathsLinkedFrom(
  query: Query,
  { account_id, branch, nodes }: EntryEdges,
): Promise<{ source: string; target: string }[]> {
  return query.all(
    sql`SELECT source, target FROM ${nodes} CROSS JOIN edges WHERE account_id = ${account_id} AND branch = ${branch}
        AND source_type = 'entry' AND source = value AND visible_to = '' AND target_type = 'entity'`,
  );
}

/** Edges that were stated to names. */
export function listEdgesToNames(
  query: Query,
  { account_id, branch, visible_to, names }: Pick<EdgeRow, 'account_id' | 'branch' | 'visible_to'> & { names: Sql },
): Promise<EdgeRow[]> {
  return query.all<EdgeRow>(
    // CROSS JOIN fixes the order of the tables, so that each name is one index search.
    sql`SELECT edges.* FROM ${names} CROSS JOIN edges WHERE account_id = ${account_id} AND branch = ${branch}
        AND target_type = 'entity' AND target = value AND visible_to = ${visible_to}`,
  );
}

export function deleteEdgesToName(
  tx: Transaction,
  { account_id, branch, visible_to, target }: Pick<EdgeRow, 'account_id' | 'branch' | 'visible_to' | 'target'>,
): Promise<number> {
  return tx.run(
    sql`DELETE FROM edges WHERE account_id = ${account_id} AND branch = ${branch} AND target_type = 'entity'
        AND target = ${target} AND visible_to = ${visible_to}`,
  );
}

/** What entries that moved were called before, by any agent's edges. */
export async function listFormerNames(query: Query, { account_id, branch, nodes }: EntryEdges): Promise<string[]> {
  const rows = await query.all<{ target: string }>(
    // CROSS JOIN fixes the order of the tables, so that each entry is one index search.
    sql`SELECT DISTINCT target FROM ${nodes} CROSS JOIN edges WHERE account_id = ${account_id} AND branch = ${branch}
        AND source_type = 'entry' AND source = value AND visible_to = '' AND relation = 'moved_from'
        AND target_type = 'entity'`,
  );
  return rows.map(({ target }) => target);
}

/** The assertions of an edge become those of another. */
export function renameStatements(
  tx: Transaction,
  { account_id, from, to }: { account_id: string; from: string; to: string },
): Promise<number> {
  return tx.run(sql`UPDATE edge_statements SET edge_id = ${to} WHERE account_id = ${account_id} AND edge_id = ${from}`);
}

export async function deleteEdgesOf(tx: Transaction, erased: EntryEdges): Promise<void> {
  for (const end of ['source', 'target'] as const) await tx.run(sql`DELETE FROM edges WHERE ${ofErased(erased, end)}`);
}

/** The assertions of edges by callers. */
export const statementsOf = (accountId: string, edgeIds: Sql): Sql =>
  sql`FROM edge_statements WHERE account_id = ${accountId} AND edge_id IN (SELECT value FROM ${edgeIds})`;

export const listSeqs = (statements: Sql): Sql => sql`SELECT seq ${statements}`;

export const deleteStatements = (tx: Transaction, statements: Sql): Promise<number> =>
  tx.run(sql`DELETE ${statements}`);

const ofAgent = (accountId: string, agentId: string): Sql =>
  sql`account_id = ${accountId} AND ((source_type = 'agent' AND source = ${agentId})
    OR (target_type = 'agent' AND target = ${agentId}) OR visible_to = ${agentId})`;

export async function countAgentEdges(query: Query, accountId: string, agentId: string): Promise<number> {
  const row = await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM edges WHERE ${ofAgent(accountId, agentId)}`);
  return row?.n ?? 0;
}

type SomeEdges = { account_id: string; agent_id: string; limit: number };
const EDGE_KEY = fragment('branch, source_type, source, visible_to, relation, target_type, target');

const firstOf = ({ account_id, agent_id, limit }: SomeEdges): Sql =>
  sql`FROM edges WHERE ${ofAgent(account_id, agent_id)} ORDER BY ${EDGE_KEY} LIMIT ${limit}`;

export const listAgentEdges = (query: Query, some: SomeEdges): Promise<EdgeRow[]> =>
  query.all(sql`SELECT * ${firstOf(some)}`);

/** Deletes those that `listAgentEdges` returns. */
export const deleteAgentEdges = (tx: Transaction, some: SomeEdges): Promise<number> =>
  tx.run(
    sql`DELETE FROM edges WHERE account_id = ${some.account_id} AND (${EDGE_KEY}) IN (SELECT ${EDGE_KEY} ${firstOf(some)})`,
  );

/** The agents that have read one of these entries; of an entry that not everybody may see, its author alone could. */
export async function listReadersOf(
  query: Query,
  { account_id, branch, nodes, limit }: EntryEdges & { limit: number },
): Promise<string[]> {
  const rows = await query.all<{ source: string }>(
    // CROSS JOIN fixes the order of the tables, so that each entry is one index search.
    sql`SELECT DISTINCT source FROM ${nodes} CROSS JOIN edges WHERE account_id = ${account_id} AND branch = ${branch}
          AND target_type = 'entry' AND target = value AND visible_to = '' AND relation = 'read' AND source_type = 'agent'
        LIMIT ${limit}`,
  );
  return rows.map(({ source }) => source);
}

type Reader = { account_id: string; reader: string; viewer: string; of: EdgeSpan };

/**
 * The entries that an agent has read, as far as a viewer may see, newest first, as `(read_entry_id, read_count)`. `within`
 * builds a condition on the number of an entry.
 */
export function readEntries(
  { account_id, reader, viewer, of: { branch, until } }: Reader,
  within: (entryId: Sql) => Sql,
  limit: number,
): Sql {
  const isThere = until === null ? emptySql : sql` AND first_seen <= ${until}`;
  const side = (visibleTo: string) =>
    sql`SELECT * FROM (SELECT target, evidence_count FROM edges WHERE account_id = ${account_id} AND branch = ${branch}
          AND source_type = 'agent' AND source = ${reader} AND visible_to = ${visibleTo} AND relation = 'read'
          AND target_type = 'entry'${isThere}${within(fragment('CAST(edges.target AS BIGINT)'))} ORDER BY target DESC LIMIT ${limit}) AS side`;
  return sql`SELECT CAST(target AS BIGINT) AS read_entry_id, CAST(sum(evidence_count) AS BIGINT) AS read_count
      FROM (${side('')} UNION ALL ${side(viewer)}) AS sides GROUP BY target ORDER BY target DESC LIMIT ${limit}`;
}
