import { exported, type TenantTable } from '@mem-service/server/module';
import { addSpending, putBudgets } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(putBudgets, {
    kind: 'model_budget',
    key: ['period'],
    nullable: ['max_calls', 'max_usd'],
    agents: { agent_id: { erased: 'rename' } },
  }),
  exported(addSpending, { kind: 'model_spending', key: ['period', 'starts_at'] }),
];
