import { exported, type TenantTable } from '@mem-service/server/module';
import { insertMember, insertTeam } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertTeam, {
    kind: 'team',
    key: ['team_id'],
    holds: ({ operations, notNegative }) => ({
      ...{ slug: operations['teams.create'].output.shape.slug },
      ...{ member_count: notNegative, removed_count: notNegative },
    }),
    stored: ({ name, slug, description }) => [name as string, slug as string, description as string],
  }),
  exported(insertMember, {
    kind: 'member',
    key: ['member_id'],
    nullable: ['removed_at', 'removed_by'],
    holds: ({ operations, time }) => {
      const { email, role } = operations['members.add'].output.shape;
      return { email, role, removed_at: time };
    },
    stored: ({ email, display_name }) => [email as string, display_name as string],
    unrelated: { removed_by: 'a key' },
  }),
];
