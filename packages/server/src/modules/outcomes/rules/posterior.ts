import type { Standing } from '../../entries/index.ts';
import {
  DISCREDIT_THRESHOLD,
  EVIDENCE_DECAY,
  PRIOR_STRENGTH,
  tidy,
  unit,
  withoutVerdicts,
  withVerdicts,
} from '../../entries/rules/verdict-standing.ts';
import { isSuccess, OUTCOME_TYPES, type OutcomeType } from './outcome-types.ts';

export type OutcomeModel = 'evidence' | 'multiplicative';

/** The confidence in an entry, and the evidence for it. */
export type Trust = { confidence: number; standing: Standing };

/** One outcome in relation to one entry. `n_causal` is how many entries share the credit or the blame. */
export type EvidenceStep = {
  outcome_type: OutcomeType;
  causal_confidence: number;
  n_causal: number;
  agent_id: string;
  at: number;
};

/** `weight` is the mass that was added, or the factor in the multiplicative model. */
export type AppliedStep = Trust & { weight: number; surprise: number };

const FIRST_STRIKE_MIN_WINS = 3;
const MAX_VALIDATORS = 10;

/** Applies a single outcome to an entry. The same steps in the same order give the same numbers to the last bit. */
export function applyStep(model: OutcomeModel, trust: Trust, step: EvidenceStep): AppliedStep {
  const { verdicts } = trust.standing;
  if (verdicts === undefined) return applyOutcome(model, trust, step);
  const { weight, surprise, ...own } = applyOutcome(model, withoutVerdicts(trust), step);
  return { ...withVerdicts(own, verdicts), weight, surprise };
}

/** Verdicts have no say in how an outcome is weighed. */
function applyOutcome(model: OutcomeModel, trust: Trust, step: EvidenceStep): AppliedStep {
  const judged = model === 'evidence' ? weighStep(trust, step) : multiply(trust, step);
  const { confidence, weight, surprise } = judged;
  return { confidence, standing: count(trust.standing, step, judged), weight, surprise };
}

/** A first failure after a series of successes may be bad luck: it is weighed without surprise. */
export const isFirstStrike = (type: OutcomeType, { failure_count, success_count }: Standing): boolean =>
  !isSuccess(type) && failure_count === 0 && success_count >= FIRST_STRIKE_MIN_WINS;

type EvidenceMasses = Pick<Standing, 'prior_confidence' | 'evidence_success' | 'evidence_failure'>;
type StepEffect = Omit<AppliedStep, 'standing'> & { masses?: EvidenceMasses };

/**
 * In effect the mean of three: the current confidence, the prior, which regains weight as older evidence fades, and the
 * outcome. So a success of little weight can lower a confidence above the prior, and a failure can raise one below it.
 */
function weighStep({ confidence, standing }: Trust, step: EvidenceStep): StepEffect {
  const { severity, success } = OUTCOME_TYPES[step.outcome_type];
  const surprise = isFirstStrike(step.outcome_type, standing) ? 1 : 1 + Math.abs((success ? 1 : 0) - confidence);
  const weight = tidy(((severity * step.causal_confidence) / Math.max(1, step.n_causal)) * surprise);
  const prior_confidence = standing.prior_confidence ?? unit(confidence);
  const evidence_success = tidy(EVIDENCE_DECAY * standing.evidence_success + (success ? weight : 0));
  const evidence_failure = tidy(EVIDENCE_DECAY * standing.evidence_failure + (success ? 0 : weight));
  const posterior =
    (PRIOR_STRENGTH * prior_confidence + evidence_success) / (PRIOR_STRENGTH + evidence_success + evidence_failure);
  const masses = { prior_confidence, evidence_success, evidence_failure };
  return { confidence: unit(posterior), weight, surprise, masses };
}

/** Leaves the prior unset: if the model changes, the other model starts from the confidence learned so far. */
function multiply({ confidence }: Trust, { outcome_type, causal_confidence }: EvidenceStep): StepEffect {
  const { multiplier } = OUTCOME_TYPES[outcome_type];
  const weight = tidy(multiplier * causal_confidence);
  return { confidence: unit(confidence * multiplier * causal_confidence), weight, surprise: 1 };
}

/** Written out, for each cause of an outcome: 0.05 µs, and 1.3 with a spread (bench/inside/tricks.mjs). */
function count(
  standing: Standing,
  { outcome_type, agent_id, at }: EvidenceStep,
  { confidence, masses }: StepEffect,
): Standing {
  const success = isSuccess(outcome_type);
  const { validators } = standing;
  return {
    outcome_count: standing.outcome_count + 1,
    success_count: standing.success_count + (success ? 1 : 0),
    failure_count: standing.failure_count + (success ? 0 : 1),
    evidence_success: masses?.evidence_success ?? standing.evidence_success,
    evidence_failure: masses?.evidence_failure ?? standing.evidence_failure,
    prior_confidence: masses?.prior_confidence ?? standing.prior_confidence,
    last_outcome: outcome_type,
    last_outcome_at: at,
    discredited_at: discreditedAt(standing, confidence, success ? null : at),
    validators: success
      ? [...validators.filter((name) => name !== agent_id), agent_id].slice(-MAX_VALIDATORS)
      : validators,
    tier: standing.tier,
    priority_score: standing.priority_score,
    importance_score: standing.importance_score,
    importance_dimensions: standing.importance_dimensions,
  };
}

/** Only a failure discredits; a success that does not raise the confidence far enough does not change that. */
function discreditedAt({ discredited_at }: Standing, confidence: number, failedAt: number | null): number | null {
  return confidence < DISCREDIT_THRESHOLD ? (discredited_at ?? failedAt) : null;
}
