import type { Module, Query } from '@mem-service/server/module';
import { erasesAgent, followTraces, indexTraces } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { mergeIndex } from './merge-index.ts';
import { migrations } from './migrations.ts';
import { getIndexedSeq } from './queries.ts';
import { tables, wordIndexes } from './tables.ts';

export type { TraceFacets } from './document-builder.ts';
export { compareTraces } from './handlers.ts';
export { loadFacets } from './load-facets.ts';
export { newestWithAttribute } from './newest.ts';
export { listTraceFigures } from './queries.ts';

/** Whether the traces up to this place in the log are in the index. */
export const isIndexed = async (query: Query, accountId: string, seq: number): Promise<boolean> =>
  (await getIndexedSeq(query, accountId, indexTraces.name)) >= seq;

/** Sealed sessions: search in them, their spans, and what two or more of them did alike and otherwise. */
export const traceNavigation: Module = {
  name: 'trace-navigation',
  migrations,
  tables,
  wordIndexes,
  erasesAgent,
  followsTraces: followTraces,
  handlers,
  consumers: [indexTraces],
  maintenance: [mergeIndex],
};
