import { fisher, type TwoGroups } from './fisher.ts';
import { Z_95 } from './wilson.ts';

/** How far two shares are apart, with the interval of the difference, and how probable that is by chance. */
export type ShareDifference = { difference: number; low: number; high: number; p: number };

/** Of so few cases the exact test is used. */
const FEW = 2000;

export function twoProportions(groups: TwoGroups): ShareDifference {
  const { a, ofA, b, ofB } = groups;
  if (ofA === 0 || ofB === 0) return { difference: 0, low: -1, high: 1, p: 1 };
  const [rateA, rateB] = [a / ofA, b / ofB];
  const difference = rateA - rateB;
  // Agresti and Caffo: one case more of each kind in each group makes the interval right for few cases.
  const [nearA, nearB] = [(a + 1) / (ofA + 2), (b + 1) / (ofB + 2)];
  const spread = Math.sqrt((nearA * (1 - nearA)) / (ofA + 2) + (nearB * (1 - nearB)) / (ofB + 2));
  const middle = nearA - nearB;
  const p = ofA + ofB <= FEW ? fisher(groups) : byNormal(groups);
  return { difference, low: Math.max(-1, middle - Z_95 * spread), high: Math.min(1, middle + Z_95 * spread), p };
}

function byNormal({ a, ofA, b, ofB }: TwoGroups): number {
  const pooled = (a + b) / (ofA + ofB);
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / ofA + 1 / ofB));
  if (spread === 0) return 1;
  return 2 * upperTail(Math.abs(a / ofA - b / ofB) / spread);
}

/** How probable a normal variable is beyond z (Abramowitz and Stegun 26.2.17: right to 7 digits). */
export function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
