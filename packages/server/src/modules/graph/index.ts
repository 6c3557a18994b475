import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';
import { neighbors } from './neighbors.ts';
import { link } from './statement.ts';
import { tables } from './tables.ts';

export { countAgentEdges, countEdges, forgetAgentEdges, forgetEdges } from './erase.ts';
export { linkReads, linkWrites } from './link.ts';
export { type LinkedOnce, linkAllOnce } from './statement.ts';

export const graph: Module = {
  name: 'graph',
  migrations,
  tables,
  handlers: { 'graph.neighbors': neighbors, 'graph.link': link },
};
