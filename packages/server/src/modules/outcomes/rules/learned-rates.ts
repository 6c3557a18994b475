/** How much older outcomes count with each new one: after 34 of them, half. What agents do changes, and so do its results. */
const OUTCOME_DECAY = 0.98;
/** So many tests weigh as much as what is assumed where a bucket has none: the rate of all, or the confidence itself. */
const ASSUMED_TESTS = 10;

type RateTally = { tests: number; successes: number };

const newTally = (): RateTally => ({ tests: 0, successes: 0 });

/** Learns, outcome by outcome, how often entries of a bucket of confidence lead to success. */
export class LearnedRates {
  readonly #all = newTally();
  readonly #buckets: readonly RateTally[];

  constructor(buckets: number) {
    this.#buckets = Array.from({ length: buckets }, newTally);
  }

  /** The rate to be expected, by the outcomes before. */
  expected(bucket: number, confidence: number): number {
    const anyBucket = meanWith(this.#all, confidence);
    return meanWith(this.#buckets[bucket] as RateTally, anyBucket);
  }

  /** An outcome tests several entries at once. */
  learn(success: boolean, buckets: readonly number[]): void {
    for (const tally of [this.#all, ...this.#buckets]) {
      tally.tests *= OUTCOME_DECAY;
      tally.successes *= OUTCOME_DECAY;
    }
    for (const bucket of buckets)
      for (const tally of [this.#all, this.#buckets[bucket] as RateTally]) {
        tally.tests++;
        tally.successes += Number(success);
      }
  }
}

const meanWith = ({ tests, successes }: RateTally, assumed: number): number =>
  (successes + ASSUMED_TESTS * assumed) / (tests + ASSUMED_TESTS);
