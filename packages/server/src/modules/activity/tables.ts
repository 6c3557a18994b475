import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'usage_days',
    key: ['kind', 'day', 'name'],
    left_out: 'how much the service was used stays where that was',
    agents: { name: { erased: 'by its owner' } },
    entries: { name: 'by its owner' },
  },
];
