import type { TenantTable, WordIndex } from '@mem-service/server/module';

export const tables: readonly TenantTable[] = [
  {
    table: 'indexed_traces',
    key: ['seq'],
    left_out: 'made again from the traces',
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
    planner: {
      indexed_traces: '1000000 1000000 1',
      indexed_traces_by_agent: '1000000 1000000 1000',
      indexed_traces_by_cost: '1000000 1000000 1000 1',
      indexed_traces_by_duration: '1000000 1000000 1000 1',
    },
  },
];

export const wordIndexes: readonly WordIndex[] = [
  {
    of: 'indexed_traces',
    table: 'indexed_trace_words',
    view: 'words_of_indexed_traces',
    columns: ['account_id', 'seq', 'search_words'],
  },
];
