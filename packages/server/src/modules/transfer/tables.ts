import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  { table: 'import_lines', key: ['no'], left_out: 'what an import has received and not yet put into the account' },
];
