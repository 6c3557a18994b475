import { exported, type TenantTable } from '@mem-service/server/module';
import { upsertAlerts, upsertRules } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertRules, {
    kind: 'alert_rule',
    key: ['rule_id'],
    nullable: ['judge_id', 'for_agent', 'muted_until', 'raised_at'],
    agents: { for_agent: { erased: 'delete the row' }, agent_id: { erased: 'rename' } },
  }),
  exported(upsertAlerts, {
    kind: 'alert',
    key: ['seq'],
    nullable: ['judge_id', 'for_agent', 'acknowledged_by', 'acknowledged_at'],
    agents: {
      for_agent: { erased: 'delete the row' },
      acknowledged_by: { erased: 'rename', also: () => ({ comment: '' }) },
    },
  }),
];
