import { exported, type TenantTable } from '@mem-service/server/module';
import { addSpending, putBudgets } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(putBudgets, {
    kind: 'model_budget',
    key: ['period'],
    nullable: ['max_calls', 'max_usd'],
    holds: ({ z, notNegative }) => ({
      ...{ period: z.enum(['day', 'month']), max_calls: notNegative, max_usd: notNegative },
    }),
    agents: { agent_id: { erased: 'rename' } },
  }),
  exported(addSpending, {
    kind: 'model_spending',
    key: ['period', 'starts_at'],
    holds: ({ z, time, notNegative }) => ({
      ...{ period: z.enum(['day', 'month']), starts_at: time, calls: notNegative, failed: notNegative },
      ...{ cost_usd: notNegative, input_tokens: notNegative, output_tokens: notNegative },
    }),
  }),
];
