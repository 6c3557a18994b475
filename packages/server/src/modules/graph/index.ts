import type { Module } from '../../kernel/index.ts';
import { erasesAgent } from './erase.ts';
import { link } from './link.ts';
import { migrations } from './migrations.ts';
import { neighbors } from './neighbors.ts';
import { overview } from './overview.ts';
import { edgesOfEntries } from './projection.ts';
import { tables } from './tables.ts';

export { linkAwaited, type NewEntry } from './awaited.ts';
export { type Ends, entryEnd, type LinkedOnce, linkAllOnce, linkBetween } from './link.ts';
export {
  listEntriesById,
  listFormerNames,
  listIncident,
  listPathsLinkedFrom,
  listReadersOf,
  readEntries,
} from './queries.ts';
export { entryIdOf, entryNode } from './rules/edges.ts';
export type { IncidentEdge } from './rules/walk.ts';

export const graph: Module = {
  name: 'graph',
  migrations,
  tables,
  projections: [edgesOfEntries],
  erasesAgent,
  handlers: { 'graph.neighbors': neighbors, 'graph.overview': overview, 'graph.link': link },
};
