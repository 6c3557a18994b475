/** The confidence in an entry before an outcome, and whether the outcome was a success. */
export type Prediction = { confidence_before: number; success: boolean };

/** From `from` up to `to`, which only the last bucket includes. */
export type CalibrationBucket = {
  from: number;
  to: number;
  n: number;
  successes: number;
  success_rate: number | null;
  mean_confidence: number | null;
};

export type Calibration = {
  n: number;
  /** Mean squared difference between confidence and result: 0 is perfect, a constant 0.5 gives 0.25. */
  brier_score: number | null;
  /** The mean difference between confidence and success rate, over all outcomes. */
  expected_calibration_error: number | null;
  buckets: CalibrationBucket[];
};

const BUCKETS = 10;

type BucketTally = { n: number; successes: number; confidence_sum: number };

/** Whether entries with a confidence of 0.8 succeed eight times in ten. */
export function calibrate(predictions: Iterable<Prediction>): Calibration {
  const tallies = Array.from({ length: BUCKETS }, (): BucketTally => ({ n: 0, successes: 0, confidence_sum: 0 }));
  let n = 0;
  let squares = 0;
  for (const { confidence_before, success } of predictions) {
    const tally = tallies[bucketOf(confidence_before)] as BucketTally;
    n++;
    squares += (confidence_before - Number(success)) ** 2;
    tally.n++;
    tally.successes += Number(success);
    tally.confidence_sum += confidence_before;
  }
  const gaps = tallies.reduce((sum, tally) => sum + Math.abs(tally.successes - tally.confidence_sum), 0);
  return {
    n,
    brier_score: n === 0 ? null : squares / n,
    expected_calibration_error: n === 0 ? null : gaps / n,
    buckets: tallies.map(toBucket),
  };
}

/** Compared with the edges as written: 0.8999999999999999 times 10 is 9. */
function bucketOf(confidence: number): number {
  let at = 0;
  while (at < BUCKETS - 1 && confidence >= (at + 1) / BUCKETS) at++;
  return at;
}

function toBucket({ n, successes, confidence_sum }: BucketTally, at: number): CalibrationBucket {
  return {
    from: at / BUCKETS,
    to: (at + 1) / BUCKETS,
    n,
    successes,
    success_rate: n === 0 ? null : successes / n,
    mean_confidence: n === 0 ? null : confidence_sum / n,
  };
}
