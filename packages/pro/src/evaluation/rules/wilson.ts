/** A share of some cases, with the interval in which the true share lies with 95 % confidence. */
export type Rate = { rate: number | null; low: number; high: number; count: number; of: number };

export const Z_95 = 1.959963984540054;

/** The score interval of Wilson: right for few cases, and for shares near 0 and 1. */
export function wilson(count: number, of: number, z: number = Z_95): Rate {
  if (of === 0) return { rate: null, low: 0, high: 1, count: 0, of: 0 };
  const rate = count / of;
  const square = z * z;
  const middle = (rate + square / (2 * of)) / (1 + square / of);
  const half = (z * Math.sqrt((rate * (1 - rate)) / of + square / (4 * of * of))) / (1 + square / of);
  const low = count === 0 ? 0 : Math.max(0, middle - half);
  const high = count === of ? 1 : Math.min(1, middle + half);
  return { rate, low, high, count, of };
}
