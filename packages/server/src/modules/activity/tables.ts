import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'usage_days',
    key: ['kind', 'day', 'name'],
    left_out: 'usage belongs to the service where it happened',
    agents: { name: { erased: 'by its owner' } },
    entries: { name: 'by its owner' },
  },
];
