import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  { table: 'import_lines', key: ['no'], left_out: 'lines of an import that are not restored yet' },
];
