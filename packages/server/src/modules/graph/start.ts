import { type Input, trimSlashes, utf8Length } from '@mem-service/contract';
import { joinSql, type Query, sql } from '../../db/index.ts';
import { type EntryView, globConditions, isInScope, splitEntryName } from '../../kernel/index.ts';
import { listEntriesWithin, listNamedEntry, type NamedEntry } from './queries.ts';
import { entryNode, type NodeType } from './rules/edges.ts';
import type { GraphNode } from './rules/walk.ts';

/** Index rows hold two names, and an index row of PostgreSQL has room for 2,704 bytes. */
export const MAX_NAME_BYTES = 900;

/** The limit of entries read for one path. */
const MAX_ENTRIES = 1000;

const NAMED: readonly NodeType[] = ['agent', 'entity', 'outcome', 'pattern'];

export type WalkStart = { nodes: GraphNode[]; entries: NamedEntry[]; truncated: boolean };

/** Finds all nodes that a caller may mean by a name. */
export async function findStart(query: Query, view: EntryView, input: Input<'graph.neighbors'>): Promise<WalkStart> {
  const { entity, type } = input;
  const path = trimSlashes(entity);
  // A path out of scope matches nothing.
  const isKnown = (one: NodeType) => one !== 'entity' || isInScope(view.scope, path);
  const named = NAMED.filter((one) => (type === undefined || one === type) && isKnown(one));
  const entries = new Map<string, NamedEntry>();
  const below = type === undefined || type === 'entity' ? await listBelow(query, view, path) : [];
  const exact = type === undefined || type === 'entry' ? await listExact(query, view, path) : [];
  for (const entry of [...exact, ...below.slice(0, MAX_ENTRIES)]) entries.set(entryNode(entry.entry_id), entry);
  return {
    nodes: [
      ...(utf8Length(entity) > MAX_NAME_BYTES
        ? []
        : named.map((one) => ({ type: one, id: one === 'entity' ? path : entity }))),
      ...[...entries.keys()].map((id): GraphNode => ({ type: 'entry', id })),
    ],
    entries: [...entries.values()],
    truncated: below.length > MAX_ENTRIES,
  };
}

function listExact(query: Query, view: EntryView, name: string): Promise<NamedEntry[]> | NamedEntry[] {
  const at = splitEntryName(name);
  if (!at) return [];
  return listNamedEntry(query, view, at);
}

/** Entries at the path itself, then below it. */
async function listBelow(query: Query, view: EntryView, path: string): Promise<NamedEntry[]> {
  const at = await listEntriesWithin(query, view, { where: sql`entity_path = ${path}`, limit: MAX_ENTRIES + 1 });
  const limit = MAX_ENTRIES + 1 - at.length;
  if (limit <= 0) return at;
  const where = joinSql(globConditions({ kind: 'below', base: path }), ' AND ');
  return [...at, ...(await listEntriesWithin(query, view, { where, limit }))];
}
