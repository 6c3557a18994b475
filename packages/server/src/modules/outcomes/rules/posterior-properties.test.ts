import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNTOUCHED } from '../../entries/standing.ts';
import { isSuccess, OUTCOME_TYPES, type OutcomeType } from './outcome-types.ts';
import { type AppliedStep, applyStep, type EvidenceStep, type OutcomeModel, type Trust } from './posterior.ts';

const fresh = (confidence: number): Trust => ({ confidence, standing: UNTOUCHED });

const step = (outcome_type: OutcomeType, more: Partial<EvidenceStep> = {}): EvidenceStep => ({
  outcome_type,
  causal_confidence: 1,
  n_causal: 1,
  agent_id: 'agent/a',
  at: 1000,
  ...more,
});

const after = (start: Trust, steps: readonly EvidenceStep[], model: OutcomeModel = 'evidence'): Trust =>
  steps.reduce((trust, one) => applyStep(model, trust, one), start);

const evidence = (start: Trust, one: EvidenceStep): AppliedStep => applyStep('evidence', start, one);

const types = fc.constantFrom(...(Object.keys(OUTCOME_TYPES) as OutcomeType[]));
const starts = fc.oneof(
  fc.constantFrom(0, 1e-12, 0.5, 1),
  fc.double({ min: 0, max: 1, noNaN: true }).map((n) => (n < 1e-12 ? 0 : n)),
);
const steps: fc.Arbitrary<EvidenceStep> = fc.record({
  outcome_type: types,
  causal_confidence: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  n_causal: fc.integer({ min: 1, max: 20 }),
  agent_id: fc.constantFrom('agent/a', 'agent/b'),
  at: fc.integer({ min: 0, max: 1e12 }),
});
const wildSteps = fc.record({
  outcome_type: types,
  causal_confidence: fc.oneof(fc.double({ min: -10, max: 1e6, noNaN: true }), fc.constantFrom(5e-324, -0)),
  n_causal: fc.integer({ min: 0, max: 1e9 }),
  agent_id: fc.string(),
  at: fc.nat(),
});
/** Trusts that outcomes can produce from a new value. */
const trusts = (model: OutcomeModel = 'evidence'): fc.Arbitrary<Trust> =>
  fc.tuple(starts, fc.array(steps, { maxLength: 25 })).map(([start, list]) => after(fresh(start), list, model));

const ROUNDING = 1e-11;

describe.each(['evidence', 'multiplicative'] as const)('any step of the %s model', (model) => {
  it('always leaves a confidence from 0 to 1 and masses that are not negative', () => {
    fc.assert(
      fc.property(trusts(model), fc.oneof(steps, wildSteps), (trust, one) => {
        const { confidence, standing, weight } = applyStep(model, trust, one);
        expect(confidence >= 0 && confidence <= 1).toBe(true);
        for (const mass of [standing.evidence_success, standing.evidence_failure, weight]) {
          expect(Number.isFinite(mass)).toBe(true);
          expect(mass === 0 || mass >= 1e-12).toBe(true);
        }
        expect(standing.outcome_count).toBe(standing.success_count + standing.failure_count);
      }),
    );
  });

  it('is the same to the last bit when it is done again from what was stored', () => {
    fc.assert(
      fc.property(starts, fc.array(steps, { maxLength: 30 }), (confidence, list) => {
        const straight = after(fresh(confidence), list, model);
        const stored = list.reduce<Trust>((trust, one) => {
          const { confidence, standing } = applyStep(model, trust, one);
          return { confidence, standing: JSON.parse(JSON.stringify(standing)) };
        }, fresh(confidence));
        expect(Object.is(stored.confidence, straight.confidence)).toBe(true);
        expect(stored.standing).toStrictEqual(straight.standing);
      }),
    );
  });
});

describe('the direction of an outcome in the multiplicative model', () => {
  it('is up for a success and down for a failure, if the cause is sure', () => {
    fc.assert(
      fc.property(trusts('multiplicative'), steps, (trust, one) => {
        const { confidence } = applyStep('multiplicative', trust, { ...one, causal_confidence: 1 });
        if (isSuccess(one.outcome_type)) expect(confidence).toBeGreaterThanOrEqual(trust.confidence);
        else expect(confidence).toBeLessThanOrEqual(trust.confidence);
      }),
    );
  });
});

describe('the direction of an outcome in the evidence model', () => {
  it('is up for a success and down for a failure, if it is the first', () => {
    fc.assert(
      fc.property(starts, steps, (start, one) => {
        const { confidence } = evidence(fresh(start), one);
        if (isSuccess(one.outcome_type)) expect(confidence).toBeGreaterThanOrEqual(start - ROUNDING);
        else expect(confidence).toBeLessThanOrEqual(start + ROUNDING);
      }),
    );
  });

  it('is always towards the mean of prior and outcome by weight, and never past it', () => {
    fc.assert(
      fc.property(trusts(), steps, (trust, one) => {
        const { confidence, standing, weight } = evidence(trust, one);
        const prior = standing.prior_confidence as number;
        const mean = (0.4 * prior + (isSuccess(one.outcome_type) ? weight : 0)) / (0.4 + weight);
        expect(confidence).toBeGreaterThanOrEqual(Math.min(trust.confidence, mean) - ROUNDING);
        expect(confidence).toBeLessThanOrEqual(Math.max(trust.confidence, mean) + ROUNDING);
      }),
      { numRuns: 500 },
    );
  });

  it('is never against the outcome on the near side of the prior', () => {
    fc.assert(
      fc.property(trusts(), steps, (trust, one) => {
        const { confidence, standing } = evidence(trust, one);
        const prior = standing.prior_confidence as number;
        if (isSuccess(one.outcome_type)) {
          if (trust.confidence <= prior) expect(confidence).toBeGreaterThanOrEqual(trust.confidence - ROUNDING);
        } else if (trust.confidence >= prior) expect(confidence).toBeLessThanOrEqual(trust.confidence + ROUNDING);
      }),
      { numRuns: 500 },
    );
  });

  it('is up for a success and down for a failure, compared with fading only', () => {
    fc.assert(
      fc.property(trusts(), steps, (trust, one) => {
        const faded = evidence(trust, { ...one, causal_confidence: 0 }).confidence;
        const { confidence } = evidence(trust, one);
        if (isSuccess(one.outcome_type)) expect(confidence).toBeGreaterThanOrEqual(faded - ROUNDING);
        else expect(confidence).toBeLessThanOrEqual(faded + ROUNDING);
      }),
      { numRuns: 500 },
    );
  });

  it('does not turn in a run of equal outcomes', () => {
    fc.assert(
      fc.property(starts, steps, (start, one) => {
        let trust = fresh(start);
        for (let n = 0; n < 60; n++) {
          const next = evidence(trust, one);
          if (isSuccess(one.outcome_type)) expect(next.confidence).toBeGreaterThanOrEqual(trust.confidence - ROUNDING);
          else expect(next.confidence).toBeLessThanOrEqual(trust.confidence + ROUNDING);
          trust = next;
        }
      }),
    );
  });

  it('can be down for a success of little weight, as what was learnt fades towards a low prior', () => {
    const trusted = after(fresh(0.1), Array(9).fill(step('success')));
    const next = evidence(trusted, step('success', { n_causal: 50 }));
    expect(next.confidence).toBeLessThan(trusted.confidence - 0.01);
    expect(evidence(trusted, step('success')).confidence).toBeGreaterThan(trusted.confidence);
  });

  it('can be up for a small failure after grave ones, as their blame fades towards a high prior', () => {
    const blamed = after(fresh(1), Array(9).fill(step('critical_failure')));
    expect(evidence(blamed, step('minor_failure')).confidence).toBeGreaterThan(blamed.confidence);
    expect(evidence(blamed, step('critical_failure')).confidence).toBeLessThanOrEqual(blamed.confidence);
  });
});
