import type { TwoGroups } from './fisher.ts';
import { Z_95 } from './wilson.ts';

/** How many times as often something happens in the first group as in the second, with its interval. */
export type Lift = { ratio: number; low: number; high: number };

/** Half a case more of each kind, so that a group without any has a ratio too. */
const HALF = 0.5;

export function liftOf({ a, ofA, b, ofB }: TwoGroups): Lift {
  const [havingA, allA, havingB, allB] = [a + HALF, ofA + HALF, b + HALF, ofB + HALF];
  const ratio = havingA / allA / (havingB / allB);
  const spread = Math.sqrt(Math.max(0, 1 / havingA - 1 / allA + 1 / havingB - 1 / allB));
  return { ratio, low: ratio * Math.exp(-Z_95 * spread), high: ratio * Math.exp(Z_95 * spread) };
}
