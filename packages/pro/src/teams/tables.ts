import { exported, type TenantTable } from '@mem-service/server/module';
import { insertMember, insertTeam } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertTeam, {
    kind: 'team',
    key: ['team_id'],
    stored: ({ name, slug, description }) => [name as string, slug as string, description as string],
  }),
  exported(insertMember, {
    kind: 'member',
    key: ['member_id'],
    nullable: ['removed_at', 'removed_by'],
    stored: ({ email, display_name }) => [email as string, display_name as string],
    unrelated: { removed_by: 'a key' },
  }),
];
