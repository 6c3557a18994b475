import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';
import { neighbors } from './neighbors.ts';
import { link } from './statement.ts';

export { countEdges, forgetEdges } from './erase.ts';
export { linkReads, linkWrites } from './link.ts';

export const graph: Module = {
  name: 'graph',
  migrations,
  handlers: { 'graph.neighbors': neighbors, 'graph.link': link },
};
