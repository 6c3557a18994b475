import { LearnedRates } from './learned-rates.ts';

/** The confidence in an entry before an outcome, and whether the outcome was a success. `seq` is that of the outcome. */
export type Prediction = { seq: number; confidence_before: number; success: boolean };

/** From `from` up to `to`, which only the last bucket includes. */
export type CalibrationBucket = {
  from: number;
  to: number;
  n: number;
  successes: number;
  success_rate: number | null;
  mean_confidence: number | null;
  /** What a confidence in this bucket means now: the success rate to be expected, by this account's own outcomes. */
  expected_success_rate: number | null;
};

export type Calibration = {
  n: number;
  /** Mean squared difference between confidence and result: 0 is perfect, a constant 0.5 gives 0.25. */
  brier_score: number | null;
  /** The mean difference between confidence and success rate, over all outcomes. */
  expected_calibration_error: number | null;
  /** The same of the expected success rates, each learned from the outcomes before the one that it is held against. */
  learned_calibration_error: number | null;
  buckets: CalibrationBucket[];
};

const BUCKETS = 10;

type BucketTally = { n: number; successes: number; confidence_sum: number };

/** Whether entries with a confidence of 0.8 succeed eight times in ten. The newest prediction comes first. */
export function calibrate(predictions: readonly Prediction[]): Calibration {
  const n = predictions.length;
  const tallies = tally(predictions);
  const { rates, learned } = learnedFrom(predictions);
  const squares = predictions.reduce((sum, one) => sum + (one.confidence_before - Number(one.success)) ** 2, 0);
  return {
    n,
    brier_score: n === 0 ? null : squares / n,
    expected_calibration_error: n === 0 ? null : gapsOf(tallies) / n,
    learned_calibration_error: n === 0 ? null : gapsOf(tally(learned)) / n,
    buckets: tallies.map((one, at) => toBucket(one, at, rates)),
  };
}

function tally(predictions: readonly Prediction[]): BucketTally[] {
  const tallies = Array.from({ length: BUCKETS }, (): BucketTally => ({ n: 0, successes: 0, confidence_sum: 0 }));
  for (const { confidence_before, success } of predictions) {
    const one = tallies[bucketOf(confidence_before)] as BucketTally;
    one.n++;
    one.successes += Number(success);
    one.confidence_sum += confidence_before;
  }
  return tallies;
}

const gapsOf = (tallies: readonly BucketTally[]): number =>
  tallies.reduce((sum, { successes, confidence_sum }) => sum + Math.abs(successes - confidence_sum), 0);

/** The same predictions, with the rate in place of each confidence that was to be expected before its outcome. */
function learnedFrom(predictions: readonly Prediction[]): { rates: LearnedRates; learned: Prediction[] } {
  const rates = new LearnedRates(BUCKETS);
  const learned: Prediction[] = [];
  for (let last = predictions.length - 1, first = last; last >= 0; last = first) {
    const { seq, success } = predictions[last] as Prediction;
    while (first >= 0 && predictions[first]?.seq === seq) first--;
    const tested = predictions.slice(first + 1, last + 1);
    for (const one of tested) {
      const { confidence_before } = one;
      learned.push({ ...one, confidence_before: rates.expected(bucketOf(confidence_before), confidence_before) });
    }
    rates.learn(
      success,
      tested.map(({ confidence_before }) => bucketOf(confidence_before)),
    );
  }
  return { rates, learned };
}

/** Compared with the edges as written: 0.8999999999999999 times 10 is 9. */
function bucketOf(confidence: number): number {
  let at = 0;
  while (at < BUCKETS - 1 && confidence >= (at + 1) / BUCKETS) at++;
  return at;
}

function toBucket({ n, successes, confidence_sum }: BucketTally, at: number, rates: LearnedRates): CalibrationBucket {
  return {
    from: at / BUCKETS,
    to: (at + 1) / BUCKETS,
    n,
    successes,
    success_rate: n === 0 ? null : successes / n,
    mean_confidence: n === 0 ? null : confidence_sum / n,
    expected_success_rate: n === 0 ? null : rates.expected(at, confidence_sum / n),
  };
}
