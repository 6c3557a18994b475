import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'entry_vectors',
    key: ['entry_id', 'embedder', 'part'],
    left_out: 'made again from the entries',
    erased_with: 'its entry',
    planner: {
      entry_vectors: '1000000 1000000 2 2 1',
      vectors_by_cluster: '1000000 1000000 1000000 1000000 20000 10000 1',
    },
  },
  {
    table: 'vector_models',
    key: ['embedder'],
    left_out: 'made again from the entries',
    rights: { maintenance: ['SELECT'] },
  },
];
