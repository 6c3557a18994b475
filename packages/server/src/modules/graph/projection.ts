import type { EntryHead, Projection } from '../../kernel/index.ts';
import { countEdges, eraseEdges } from './erase.ts';
import { addReadEdges, addWriteEdges } from './stored-edges.ts';

/** The author and the patterns of an entry as edges, for every version that was written. */
export const edgesOfEntries: Projection = {
  name: 'edges',
  tables: ['edges', 'edge_statements'],
  apply(work, changes) {
    const written: EntryHead[] = [];
    for (const { after, replaced } of changes) {
      if (replaced) written.push(...replaced);
      written.push(after);
    }
    addWriteEdges(work, written);
  },
  applyReads: addReadEdges,
  count: async (work, erased) => ({ edges: await countEdges(work, erased) }),
  erase: async (work, erased) => ({ edges: await eraseEdges(work, erased) }),
};
