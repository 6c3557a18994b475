import type { Services } from '@mem-service/server/module';
import type { BudgetRow } from './queries.ts';
import type { BudgetBounds } from './rules/periods.ts';

/** The bounds of an account: its own, and in a day no more calls than the operator allows. */
export function boundsOf(
  { settings }: Pick<Services, 'settings'>,
  budgets: readonly BudgetRow[],
  period: 'day' | 'month',
): BudgetBounds {
  const own = budgets.find((row) => row.period === period);
  const usd = own?.max_usd ?? null;
  const allowed = period === 'day' ? settings.judging_server?.calls_per_day : undefined;
  const calls = Math.min(own?.max_calls ?? Number.POSITIVE_INFINITY, allowed ?? Number.POSITIVE_INFINITY);
  return { calls: Number.isFinite(calls) ? calls : null, usd };
}
