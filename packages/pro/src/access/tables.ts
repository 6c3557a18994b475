import { exported, type TenantTable } from '@mem-service/server/module';
import { insertGrant } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertGrant, {
    kind: 'branch_grant',
    key: ['branch', 'grantee_type', 'grantee_id'],
    holds: ({ operations, time }) => {
      const { grantee_type, permission } = operations['access.grant'].input.shape;
      return { grantee_type, permission, granted_at: time };
    },
    stored: ({ branch, grantee_id }) => [branch as string, grantee_id as string],
    unrelated: { granted_by: 'a key' },
  }),
];
