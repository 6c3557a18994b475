import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'entry_vectors',
    key: ['entry_id', 'embedder', 'part'],
    left_out: 'made again from the entries',
    erased_with: 'its entry',
    planner: { entry_vectors: '1000000 1000000 2 2 1' },
  },
  {
    table: 'vector_blocks',
    key: ['branch', 'embedder', 'owner', 'cluster', 'block'],
    left_out: 'made again from the entries',
    erased_with: 'the vectors in it',
  },
  {
    table: 'vector_sums',
    key: ['branch', 'embedder', 'owner'],
    left_out: 'made again from the entries',
    erased_with: 'the vectors in it',
  },
  {
    table: 'vector_models',
    key: ['embedder'],
    left_out: 'made again from the entries',
    rights: { maintenance: ['SELECT'] },
  },
];
