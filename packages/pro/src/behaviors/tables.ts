import { exported, type TenantTable } from '@mem-service/server/module';
import { insertLooks } from './looks.ts';
import { upsertBehaviors } from './queries.ts';

const FROM_ADMIN = 'what an operator of the account looks for, not what an agent wrote';

export const tables: readonly TenantTable[] = [
  exported(upsertBehaviors, {
    kind: 'behavior',
    key: ['behavior_id'],
    nullable: ['for_agent', 'for_path', 'trace_id', 'trace_agent', 'backfill_id'],
    json: ['matcher'],
    stored: ({ matcher, description }) => [matcher as string, description as string],
    agents: {
      agent_id: { erased: 'rename' },
      for_agent: { erased: 'rename' },
      // Its matcher quotes what the agent did.
      trace_agent: { erased: 'delete the row' },
    },
    entries: { for_path: { kept: FROM_ADMIN } },
  }),
  exported(insertLooks, {
    kind: 'behavior_look',
    key: ['behavior_id', 'behavior_version', 'trace_seq'],
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
];
