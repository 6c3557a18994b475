import { describe, expect, it } from 'vitest';
import { UNTOUCHED } from '../../entries/standing.ts';
import type { OutcomeType } from './outcome-types.ts';
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

describe('the evidence model', () => {
  it.each([
    [1.0, 'success', 1.0],
    [1.0, 'minor_failure', 0.4],
    [1.0, 'failure', 0.3333],
    [1.0, 'critical_failure', 0.25],
    [0.9, 'success', 0.9355],
    [0.9, 'minor_failure', 0.3711],
    [0.9, 'failure', 0.3103],
    [0.9, 'critical_failure', 0.2338],
    [0.7, 'success', 0.8182],
    [0.7, 'minor_failure', 0.3077],
    [0.7, 'failure', 0.2593],
    [0.7, 'critical_failure', 0.1972],
    [0.5, 'success', 0.7143],
    [0.5, 'minor_failure', 0.2353],
    [0.5, 'failure', 0.2],
    [0.5, 'critical_failure', 0.1538],
  ] as const)('takes an untested %d after one %s to %d', (start, type, end) => {
    expect(evidence(fresh(start), step(type)).confidence).toBeCloseTo(end, 4);
  });

  it('splits credit among the causes', () => {
    const { confidence, weight, surprise } = evidence(fresh(0.7), step('success', { n_causal: 4 }));
    expect(confidence).toBeCloseTo(0.7419, 4);
    expect(surprise).toBeCloseTo(1.3, 12);
    expect(weight).toBeCloseTo(1.3 / 4, 12);
  });

  it('weighs an outcome by how sure its cause is', () => {
    const { confidence, weight } = evidence(fresh(0.7), step('failure', { causal_confidence: 0.5 }));
    expect(confidence).toBeCloseTo(0.3784, 4);
    expect(weight).toBeCloseTo(2 * 0.5 * 1.7, 12);
  });

  it('goes through nine outcomes: a first strike, a discredit, and back', () => {
    const types = [...'SSSSFFSSS'].map((letter): OutcomeType => (letter === 'S' ? 'success' : 'failure'));
    let trust = fresh(0.7);
    const seen = types.map((type, at) => {
      trust = evidence(trust, step(type, { at }));
      return [Number(trust.confidence.toFixed(4)), trust.standing.discredited_at];
    });
    expect(seen).toEqual([
      [0.8182, null],
      [0.8579, null],
      [0.878, null],
      [0.8901, null],
      [0.6157, null],
      [0.3995, 5],
      [0.5165, null],
      [0.6018, null],
      [0.6665, null],
    ]);
  });

  it('does not count a first failure after three successes as a surprise', () => {
    const two = after(fresh(0.7), [step('success'), step('success')]);
    const three = evidence(two, step('success'));
    expect(evidence(two, step('failure')).surprise).toBeGreaterThan(1.8);
    const struck = evidence(three, step('failure'));
    expect(struck.surprise).toBe(1);
    expect(struck.weight).toBe(2);
    expect(evidence(struck, step('failure')).surprise).toBeGreaterThan(1.5);
  });

  it('fixes the prior at the first outcome', () => {
    const once = evidence(fresh(0.7), step('success'));
    expect(once.standing.prior_confidence).toBe(0.7);
    expect(evidence(once, step('failure')).standing.prior_confidence).toBe(0.7);
  });

  it('adds nothing for a cause that is not sure at all, and lets what there was fade', () => {
    const once = evidence(fresh(0.7), step('success'));
    for (const causal_confidence of [0, -1, 1e-13]) {
      const next = evidence(once, step('success', { causal_confidence }));
      expect(next.weight).toBe(0);
      expect(next.standing.evidence_success).toBe(0.8 * once.standing.evidence_success);
      expect(next.standing.outcome_count).toBe(2);
    }
  });
});

describe('the multiplicative model', () => {
  it.each([
    ['success', 0.721],
    ['clean_deploy', 0.721],
    ['minor_failure', 0.644],
    ['failure', 0.63],
    ['critical_failure', 0.595],
  ] as const)('takes 0.7 after one %s to %d', (type, end) => {
    expect(applyStep('multiplicative', fresh(0.7), step(type)).confidence).toBeCloseTo(end, 12);
  });

  it('multiplies by the causal confidence and ends at one', () => {
    const half = applyStep('multiplicative', fresh(0.8), step('failure', { causal_confidence: 0.5, n_causal: 9 }));
    expect(half.confidence).toBeCloseTo(0.36, 12);
    expect(half.weight).toBeCloseTo(0.45, 12);
    expect(applyStep('multiplicative', fresh(0.99), step('success')).confidence).toBe(1);
    expect(applyStep('multiplicative', fresh(0.99), step('success', { causal_confidence: -1 })).confidence).toBe(0);
  });

  it('counts, and leaves masses and prior unchanged', () => {
    const learnt = evidence(fresh(0.6), step('success'));
    const { standing } = applyStep('multiplicative', learnt, step('failure', { at: 7 }));
    expect(standing).toEqual({
      ...learnt.standing,
      outcome_count: 2,
      failure_count: 1,
      last_outcome: 'failure',
      last_outcome_at: 7,
    });
    expect(applyStep('multiplicative', fresh(0.6), step('success')).standing.prior_confidence).toBeNull();
  });
});

describe.each(['evidence', 'multiplicative'] as const)('a step of the %s model', (model) => {
  it('keeps the moment of the first failure that discredited, until the confidence is back', () => {
    const failed = after(fresh(0.5), [step('failure', { at: 1 })], model);
    expect(failed.standing.discredited_at).toBe(1);
    const again = after(failed, [step('failure', { at: 2 })], model);
    expect(again.standing.discredited_at).toBe(1);
    const below = applyStep(model, again, step('success', { at: 3, causal_confidence: 0.01 }));
    expect(below.confidence).toBeLessThan(0.5);
    expect(below.standing.discredited_at).toBe(1);
    const back = after({ ...below, confidence: 0.49 }, Array(9).fill(step('success')), model);
    expect(back.confidence).toBeGreaterThanOrEqual(0.5);
    expect(back.standing.discredited_at).toBeNull();
  });

  it('does not discredit by a success, however low it leaves the confidence', () => {
    const { confidence, standing } = applyStep(model, fresh(0.1), step('success', { causal_confidence: 0.1 }));
    expect(confidence).toBeLessThan(0.5);
    expect(standing.discredited_at).toBeNull();
  });

  it('does not discredit at one half', () => {
    const start = model === 'evidence' ? 0.5 : 0.5 / 0.9;
    const one = step('failure', { causal_confidence: model === 'evidence' ? 0 : 1 });
    const { confidence, standing } = applyStep(model, fresh(start), one);
    expect([confidence, standing.discredited_at]).toEqual([0.5, null]);
  });

  it('clears a discredit above one half, by a failure too', () => {
    const discredited = { confidence: 1, standing: { ...UNTOUCHED, discredited_at: 1, prior_confidence: 1 } };
    const half = applyStep(model, discredited, step('regression', { causal_confidence: 0.6 }));
    expect(half.confidence).toBeGreaterThanOrEqual(0.5);
    expect(half.standing.discredited_at).toBeNull();
  });

  it('counts and keeps the type as it was given', () => {
    const { standing } = after(fresh(0.7), [step('clean_deploy', { at: 1 }), step('p1_incident', { at: 2 })], model);
    expect(standing).toMatchObject({ outcome_count: 2, success_count: 1, failure_count: 1 });
    expect(standing).toMatchObject({ last_outcome: 'p1_incident', last_outcome_at: 2 });
  });

  it('names the last ten agents that succeeded, each once, newest last', () => {
    const by = (agent_id: string, type: OutcomeType = 'success') => step(type, { agent_id });
    const some = after(fresh(0.7), [by('a'), by('b'), by('a'), by('c', 'failure')], model);
    expect(some.standing.validators).toEqual(['b', 'a']);
    const names = Array.from({ length: 12 }, (_, n) => `agent/${n}`);
    expect(
      after(
        fresh(0.7),
        names.map((name) => by(name)),
        model,
      ).standing.validators,
    ).toEqual(names.slice(2));
  });

  it('makes numbers that a database would take for zero zero', () => {
    const tiny = applyStep(model, fresh(1e-12), step('failure'));
    expect(tiny.confidence).toBe(0);
    const light = applyStep(model, fresh(0.5), step('success', { causal_confidence: 1e-14 }));
    expect(light.weight).toBe(0);
    const faded = after(evidence(fresh(0.5), step('failure')), Array(200).fill(step('success')));
    expect(faded.standing.evidence_failure).toBe(0);
  });

  it('changes nothing that it was given', () => {
    const before = after(fresh(0.7), [step('success'), step('failure')], model);
    const copy = structuredClone(before);
    applyStep(model, before, step('success', { agent_id: 'agent/b' }));
    expect(before).toEqual(copy);
  });
});
