/** Costs are exact to a billionth of a dollar. */
export const roundUsd = (usd: number): number => Math.round(usd * 1e9) / 1e9;

export const sumUsd = (costs: readonly number[]): number => roundUsd(costs.reduce((sum, one) => sum + one, 0));
