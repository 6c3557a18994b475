import { Fault, type Services, type Transaction, toIso } from '@mem-service/server/module';
import { boundsOf } from './bounds.ts';
import * as queries from './queries.ts';
import { type BudgetPeriod, passedBound, periodsAt } from './rules/periods.ts';

/** What is left of a day is looked at for so long. */
const KEPT_MS = 400 * 86_400_000;

export type ModelReservation = { account_id: string; periods: readonly BudgetPeriod[]; usd: number };

/** What a call turned out to be. */
export type CallSpending = { failed: number; cost_usd: number; input_tokens: number; output_tokens: number };

/** What a call may cost at most; null where the price of the model is not known. */
export type AskedReservation = { account_id: string; model: string; usd: number | null };

/**
 * Counts a call before it is made, with the most that it may cost, in a transaction of its own: many servers together stay within
 * the budget, and a call whose end nobody has seen stays counted.
 */
export async function reserveCall(services: Services, asked: AskedReservation): Promise<ModelReservation> {
  const { account_id, usd } = asked;
  const periods = periodsAt(services.clock.now());
  await inAccount(services, account_id, async (tx) => {
    const budgets = await queries.listBudgets(tx, account_id);
    const bounded = periods.map((one) => ({ ...one, bounds: boundsOf(services, budgets, one.period) }));
    if (usd === null && bounded.some(({ bounds }) => bounds.usd !== null)) throw unpriced(asked.model);
    const spent = { failed: 0, cost_usd: usd ?? 0, input_tokens: 0, output_tokens: 0 };
    for (const { period, starts_at, ends_at, bounds } of bounded) {
      const row = { account_id, period, starts_at, calls: 1, ...spent };
      const [after] = await tx.insertMany<{ calls: number; cost_usd: number }>(queries.addAndSee, [row]);
      const { calls, cost_usd } = after ?? row;
      const passed = passedBound(period, bounds, { calls, cost_usd });
      if (passed)
        throw new Fault('budget_spent', `the budget allows ${passed}: the next one begins at ${toIso(ends_at)}`, {
          ...{ period, retry_at: toIso(ends_at) },
        });
      if (period === 'day' && calls === 1) await queries.deleteBefore(tx, account_id, starts_at - KEPT_MS);
    }
  });
  return { account_id, periods, usd: usd ?? 0 };
}

const unpriced = (model: string): Fault =>
  new Fault(
    'model_not_configured',
    `the budget is in dollars, and the price of ${model} is not known: set MEM_JUDGE_INPUT_PRICE and MEM_JUDGE_OUTPUT_PRICE, or a budget in calls alone`,
    { model },
  );

/** Exchanges what was reserved for what the call was. */
export function finishCall(
  services: Services,
  { account_id, periods, usd }: ModelReservation,
  spent: CallSpending,
): Promise<void> {
  return inAccount(services, account_id, async (tx) => {
    const change = { ...spent, calls: 0, cost_usd: spent.cost_usd - usd };
    for (const { period, starts_at } of periods)
      await tx.insertMany(queries.addSpending, [{ account_id, period, starts_at, ...change }]);
  });
}

function inAccount<T>({ database }: Services, accountId: string, run: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction((tx) => {
    tx.enter(accountId);
    return run(tx);
  });
}
