/** Two groups: how many of each have something. */
export type TwoGroups = { a: number; ofA: number; b: number; ofB: number };

/** Logarithms of factorials, by Lanczos's approximation: right to 14 digits. */
const COEFFICIENTS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

export function logFactorial(n: number): number {
  if (n < 2) return 0;
  const sum = COEFFICIENTS.reduce((total, coefficient, i) => total + coefficient / (n + i + 1), 0.9999999999998099);
  const t = n + COEFFICIENTS.length - 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (n + 0.5) * Math.log(t) - t + Math.log(sum);
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/**
 * Fisher's exact test, two-sided: how probable it is, if both groups are alike, to see them differ as they do or more.
 * Beyond many thousands of cases use `twoProportions`, which is as good then.
 */
export function fisher({ a, ofA, b, ofB }: TwoGroups): number {
  const all = ofA + ofB;
  const having = a + b;
  const total = logChoose(all, having);
  const probability = (k: number) => Math.exp(logChoose(ofA, k) + logChoose(ofB, having - k) - total);
  const seen = probability(a);
  let sum = 0;
  for (let k = Math.max(0, having - ofB); k <= Math.min(ofA, having); k++) {
    const one = probability(k);
    // As probable as what was seen, but for rounding.
    if (one <= seen * (1 + 1e-7)) sum += one;
  }
  return Math.min(1, sum);
}
