/** A stretch of time with a bound of its own. */
export type BudgetPeriod = { period: 'day' | 'month'; starts_at: number; ends_at: number };

/** The month and the day of a time, in UTC; the month first, so that all who lock both do it in one order. */
export function periodsAt(now: number): [month: BudgetPeriod, day: BudgetPeriod] {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return [
    { period: 'month', starts_at: Date.UTC(year, month), ends_at: Date.UTC(year, month + 1) },
    { period: 'day', starts_at: Date.UTC(year, month, day), ends_at: Date.UTC(year, month, day + 1) },
  ];
}

export type BudgetBounds = { calls: number | null; usd: number | null };
export type SpentSoFar = { calls: number; cost_usd: number };

/** Sums of dollars are not exact. */
const TOLERANCE = 1e-9;

/** Which bound is passed, in words; undefined where none is. */
export function passedBound(period: 'day' | 'month', bounds: BudgetBounds, spent: SpentSoFar): string | undefined {
  if (bounds.calls !== null && spent.calls > bounds.calls) return `${bounds.calls} calls in a ${period}`;
  if (bounds.usd !== null && spent.cost_usd > bounds.usd + TOLERANCE) return `${bounds.usd} dollars in a ${period}`;
  return undefined;
}

/** Whether nothing is left, however little the next call costs. */
export const isSpent = ({ calls, usd }: BudgetBounds, spent: SpentSoFar): boolean =>
  (calls !== null && spent.calls >= calls) || (usd !== null && spent.cost_usd + TOLERANCE >= usd);
