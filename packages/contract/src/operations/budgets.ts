import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, usd } from '../trace-shapes.ts';

const calls = z.int().min(0).max(1_000_000_000).nullable();
const dollars = usd.nullable();

const period = z
  .object({
    from: s.utc,
    until: s.utc.meta({ description: 'When the next one begins.' }),
    max_calls: calls.meta({ description: 'Null for no bound.' }),
    max_usd: dollars.meta({ description: 'Null for no bound.' }),
    calls: z.int().meta({ description: 'How often a model was asked, each attempt counted.' }),
    failed: z.int().meta({ description: 'How many of these gave no usable answer.' }),
    cost_usd: z
      .number()
      .meta({ description: 'What is known of the cost; calls under way count with the most that they can cost.' }),
    input_tokens: z.int(),
    output_tokens: z.int(),
    is_spent: z.boolean(),
  })
  .meta({ id: 'BudgetPeriod', description: 'A day or a month in UTC.' });

const budget = z
  .object({
    models: z
      .array(z.string())
      .meta({ description: 'What can be asked, the usual one first; empty without an address.' }),
    day: period,
    month: period,
    agent_id: s.agentId.nullable().meta({ description: 'Who last set it.' }),
    updated_at: s.utc.nullable(),
  })
  .meta({ id: 'Budget', description: 'What an account may spend on language models, and what it has spent.' });

const given = {
  day_calls: calls.optional().meta({ description: 'Calls in a day; null for as many as the operator allows.' }),
  day_usd: dollars.optional().meta({ description: 'Dollars in a day; null for no bound.' }),
  month_calls: calls.optional().meta({ description: 'Calls in a month; null for no bound.' }),
  month_usd: dollars.optional().meta({ description: 'Dollars in a month; null for no bound.' }),
};

const about = { module: 'budgets', whole: true } as const;

export const budgets = {
  'budgets.read': operation({
    summary: 'See what language models may cost and have cost',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/budget' },
    cli: { alias: 'budget', also: ['eval budget'] },
    input: () => z.strictObject({}),
    output: () => budget,
    errors: ['module_not_installed'],
    example: () => ({}),
  }),

  'budgets.set': operation({
    summary: 'Say what language models may cost',
    description:
      'Beyond it no judge asks a model. What is left out stays as it is. A bound in dollars needs a model whose price is known.',
    ...about,
    admin: true,
    effect: 'write',
    cost: 2,
    http: { method: 'PUT', path: '/api/v1/eval/budget' },
    cli: { alias: 'set-budget', also: ['eval set-budget'] },
    input: () => z.strictObject({ ...given, ...author }),
    output: () => budget,
    errors: ['forbidden', 'module_not_installed'],
    example: (n) => ({ day_calls: 500 + n, month_usd: 20 }),
  }),
};
