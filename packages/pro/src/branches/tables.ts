import { exported, type TenantTable } from '@mem-service/server/module';
import { insertBranch, insertFork } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertBranch, {
    kind: 'branch',
    key: ['name'],
    nullable: ['holder', 'merged_by', 'merged_at', 'closed_by', 'closed_at'],
    json: ['inherits'],
    stored: ({ name, description }) => [name as string, description as string],
    agents: {
      created_by: { erased: 'rename', also: () => ({ description: '' }) },
      merged_by: { erased: 'rename' },
      closed_by: { erased: 'rename' },
    },
  }),
  exported(insertFork, { kind: 'branch_fork', key: ['branch', 'since_seq'], json: ['inherits'] }),
];
