import { exported, type TenantTable } from '@mem-service/server/module';
import { upsertBackfills } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertBackfills, {
    kind: 'backfill',
    key: ['backfill_id'],
    nullable: ['judge_id', 'behavior_id', 'for_agent', 'reason', 'ended_at'],
    agents: { agent_id: { erased: 'rename' }, for_agent: { erased: 'rename' } },
  }),
];
