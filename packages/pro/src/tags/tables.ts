import { exported, type TenantTable } from '@mem-service/server/module';
import { insertTag } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertTag, {
    kind: 'tag',
    key: ['name'],
    stored: ({ name, description }) => [name as string, description as string],
    agents: { agent_id: { erased: 'rename', also: () => ({ description: '' }) } },
  }),
];
