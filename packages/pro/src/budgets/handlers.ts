import {
  ADMINS,
  changed,
  type Handlers,
  hashedBy,
  type Input,
  invalidInput,
  MAIN_BRANCH,
  type Output,
  type Query,
  reads,
  type Services,
  toIso,
  toIsoOrNull,
  unchanged,
  WHOLE_ACCOUNT,
  writes,
} from '@mem-service/server/module';
import { authorOf } from '../judges/index.ts';
import { priceOfCall } from '../outside-model/model-of.ts';
import { boundsOf } from './bounds.ts';
import * as queries from './queries.ts';
import { type BudgetPeriod, isSpent, periodsAt } from './rules/periods.ts';

type ShownBudget = Output<'budgets.read'>;

async function readBudget(query: Query, services: Services, accountId: string): Promise<ShownBudget> {
  const [month, day] = periodsAt(services.clock.now());
  const budgets = await queries.listBudgets(query, accountId);
  const [newest] = budgets.toSorted((one, other) => other.updated_at - one.updated_at);
  const of = async (one: BudgetPeriod): Promise<ShownBudget['day']> => {
    const { period, starts_at, ends_at } = one;
    const bounds = boundsOf(services, budgets, period);
    const spent = await queries.getSpending(query, accountId, { period, starts_at });
    const { calls = 0, failed = 0, cost_usd = 0, input_tokens = 0, output_tokens = 0 } = spent ?? {};
    return {
      ...{ from: toIso(starts_at), until: toIso(ends_at), max_calls: bounds.calls, max_usd: bounds.usd },
      ...{ calls, failed, cost_usd: Math.max(0, Math.round(cost_usd * 1e9) / 1e9), input_tokens, output_tokens },
      is_spent: isSpent(bounds, { calls, cost_usd }),
    };
  };
  return {
    models: [...(services.settings.judging_server?.models ?? [])],
    day: await of(day),
    month: await of(month),
    agent_id: newest?.agent_id ?? null,
    updated_at: toIsoOrNull(newest?.updated_at ?? null),
  };
}

const read = reads<'budgets.read'>(({ read, services, caller }) => readBudget(read, services, caller.account_id));

/** A model without a price is not asked within a budget in dollars: where that is every one, nothing would be judged. */
function requirePrice(services: Services, input: Input<'budgets.set'>): void {
  const { models = [] } = services.settings.judging_server ?? {};
  const bound = (['day_usd', 'month_usd'] as const).find((name) => typeof input[name] === 'number');
  const isPriced = (model: string) => priceOfCall(services, { model, input_tokens: 1, output_tokens: 1 }) !== null;
  if (bound === undefined || models.length === 0 || models.some(isPriced)) return;
  throw invalidInput([
    {
      path: bound,
      message: `is in dollars, and the price of ${models.join(', ')} is not known: set a bound in calls, or have the operator set MEM_JUDGE_INPUT_PRICE and MEM_JUDGE_OUTPUT_PRICE`,
    },
  ]);
}

const set = writes<'budgets.set'>(async (work, { input, caller }) => {
  const { account_id, tx, now, services } = work;
  const { agent_id, session } = authorOf(input, caller);
  const before = await queries.listBudgets(tx, account_id);
  requirePrice(services, input);
  const rows = (['day', 'month'] as const).flatMap((period): queries.BudgetRow[] => {
    const { max_calls = null, max_usd = null } = before.find((row) => row.period === period) ?? {};
    const { [`${period}_calls` as const]: calls = max_calls, [`${period}_usd` as const]: usd = max_usd } = input;
    if (calls === max_calls && usd === max_usd) return [];
    return [{ account_id, period, max_calls: calls, max_usd: usd, agent_id, updated_at: now }];
  });
  if (rows.length === 0) return unchanged(await readBudget(tx, services, account_id));
  const bounds = rows.map(({ period, max_calls, max_usd }) => ({ period, max_calls, max_usd }));
  work.emit({
    event_type: 'budget_set',
    ...{ agent_id, session, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: ADMINS },
    details: { bounds },
  });
  await tx.insertMany(queries.putBudgets, rows);
  return changed(await readBudget(tx, services, account_id), { resource: WHOLE_ACCOUNT, ...hashedBy(bounds) });
});

export const handlers: Handlers = { 'budgets.read': read, 'budgets.set': set };
