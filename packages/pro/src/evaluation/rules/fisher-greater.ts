import { logFactorial, type TwoGroups } from './fisher.ts';

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** Fisher's exact test, one-sided: how probable it is, if both groups are alike, that so many of those found are in group a, or more. */
export function fisherGreater({ a, ofA, b, ofB }: TwoGroups): number {
  const having = a + b;
  const total = logChoose(ofA + ofB, having);
  let sum = 0;
  for (let k = Math.max(a, having - ofB); k <= Math.min(ofA, having); k++) {
    const one = Math.exp(logChoose(ofA, k) + logChoose(ofB, having - k) - total);
    sum += one;
    // Beyond the most probable count each is less than the one before.
    if (k * (ofA + ofB) > ofA * (having + 1) && one < sum * 1e-12) break;
  }
  return Math.min(1, sum);
}
