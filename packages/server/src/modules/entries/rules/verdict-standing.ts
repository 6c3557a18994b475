/** The claim of an entry counts as so many observations. */
export const PRIOR_STRENGTH = 2;
/** What is left of older evidence when newer evidence comes. */
export const EVIDENCE_DECAY = 0.8;
export const DISCREDIT_THRESHOLD = 0.5;
/** Of the seventeenth newest trace less than 3 % would be left. */
export const MAX_TRACES = 16;
/** A driver stores numbers closer to zero than 2.2e-16 as zero; the stored number must equal the computed one. */
const LEAST = 1e-12;

/** Rounds tiny and negative numbers to 0. */
export const tidy = (n: number): number => (n < LEAST ? 0 : n);

/** Clamps to 0 to 1; NaN becomes 0. */
export const unit = (n: number): number => (n >= LEAST ? Math.min(n, 1) : 0);

/** How much the verdicts on one trace speak for and against a value that it read, and when that was last recorded. */
export type TraceMass = readonly [trace_seq: number, pass: number, fail: number, at: number];

/** What verdicts add to the standing of an entry. */
export type VerdictStanding = {
  /** The confidence that claim and outcomes alone give. Outcomes are weighed with it, as if there were no verdicts. */
  own_confidence: number;
  own_discredited_at: number | null;
  /** The ledger lines of verdicts about the current value. */
  line_count: number;
  /** The newest traces, by their numbers. One whose verdicts were taken back stays, with nothing. */
  traces: readonly TraceMass[];
};

type OutcomeMasses = {
  prior_confidence: number | null;
  evidence_success: number;
  evidence_failure: number;
  discredited_at: number | null;
};

type MassedStanding = OutcomeMasses & { verdicts?: VerdictStanding | undefined };
type JudgedTrust<S> = { confidence: number; standing: S };

/** The trust without its verdicts. */
export function withoutVerdicts<S extends MassedStanding>({ confidence, standing }: JudgedTrust<S>): JudgedTrust<S> {
  const { verdicts, ...own } = standing;
  if (!verdicts) return { confidence, standing };
  return {
    confidence: verdicts.own_confidence,
    standing: { ...(own as S), discredited_at: verdicts.own_discredited_at },
  };
}

/**
 * Adds verdicts to what claim and outcomes give. The result follows from both alone: in which order they came, and what was
 * corrected in between, makes no difference.
 */
export function withVerdicts<S extends MassedStanding>(
  { confidence: own_confidence, standing }: JudgedTrust<S>,
  { line_count, traces }: Pick<VerdictStanding, 'line_count' | 'traces'>,
): JudgedTrust<S> {
  const { discredited_at: own_discredited_at } = standing;
  const confidence = confidenceWith(own_confidence, standing, traces);
  const failed_at = traces.find(([, , fail]) => fail > 0)?.[3] ?? null;
  const discredited_at = confidence < DISCREDIT_THRESHOLD ? (own_discredited_at ?? failed_at) : null;
  const verdicts: VerdictStanding = { own_confidence, own_discredited_at, line_count, traces };
  return { confidence, standing: { ...standing, discredited_at, verdicts } };
}

/** The verdicts of newer traces count more, as newer outcomes do. */
function confidenceWith(own: number, masses: OutcomeMasses, traces: readonly TraceMass[]): number {
  let [pass, fail] = [0, 0];
  for (const [, passed, failed] of traces) {
    pass = EVIDENCE_DECAY * pass + passed;
    fail = EVIDENCE_DECAY * fail + failed;
  }
  [pass, fail] = [tidy(pass), tidy(fail)];
  if (pass + fail === 0) return own;
  const { prior_confidence, evidence_success, evidence_failure } = masses;
  const strength = PRIOR_STRENGTH + (prior_confidence === null ? 0 : evidence_success + evidence_failure);
  return unit((strength * own + pass) / (strength + pass + fail));
}

/** Records what the verdicts on a trace say together, in place of what they said before. */
export function addVerdict<S extends MassedStanding>(trust: JudgedTrust<S>, mass: TraceMass): JudgedTrust<S> {
  const { line_count = 0, traces = [] } = trust.standing.verdicts ?? {};
  const others = traces.filter(([seq]) => seq !== mass[0]);
  const newest = [...others, mass].sort(([a], [b]) => a - b).slice(-MAX_TRACES);
  return withVerdicts(withoutVerdicts(trust), { line_count: line_count + 1, traces: newest });
}

/** The author claims the same value with another confidence, before any outcome. */
export function withClaim<S extends MassedStanding>(trust: JudgedTrust<S>, confidence: number): JudgedTrust<S> {
  const { verdicts } = trust.standing;
  const own = { ...withoutVerdicts(trust), confidence };
  return verdicts ? withVerdicts(own, verdicts) : own;
}
