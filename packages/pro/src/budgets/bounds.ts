import type { Services } from '@mem-service/server/module';
import type { BudgetRow } from './queries.ts';
import type { BudgetBounds } from './rules/periods.ts';

/** The bounds of an account: its own, and in a day no more calls and dollars than the operator allows. */
export function boundsOf(
  { settings }: Pick<Services, 'settings'>,
  budgets: readonly BudgetRow[],
  period: 'day' | 'month',
): BudgetBounds {
  const { max_calls = null, max_usd = null } = budgets.find((row) => row.period === period) ?? {};
  const allowed = period === 'day' ? settings.judging_server : null;
  return {
    calls: lesser(max_calls, allowed?.calls_per_day ?? null),
    usd: lesser(max_usd, allowed?.usd_per_day ?? null),
  };
}

/** Null is no bound. */
const lesser = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
