import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'digests',
    key: ['branch', 'digest_type', 'scope'],
    left_out: 'compiled again from the log',
    agents: { scope: { erased: 'by its owner' } },
    entries: { scope: 'by its owner' },
    planner: {
      sqlite_autoindex_digests_1: '1000000 10000 10000 5000 1',
      digests_by_seq: '1000000 10000 10',
    },
  },
];
