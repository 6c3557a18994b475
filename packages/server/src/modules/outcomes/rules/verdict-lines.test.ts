import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withClaim } from '../../entries/rules/verdict-standing.ts';
import { type Standing, UNTOUCHED } from '../../entries/standing.ts';
import { OUTCOME_TYPES, type OutcomeType } from './outcome-types.ts';
import { applyStep, type EvidenceStep, type OutcomeModel, type Trust } from './posterior.ts';
import { buildStory, type LifeEvent } from './story.ts';
import { sumLines, type UnionLine } from './union.ts';
import { applyVerdict, type VerdictStep } from './verdict-lines.ts';

const fresh = (confidence: number): Trust => ({ confidence, standing: UNTOUCHED });

const claims = fc.double({ min: 0, max: 1, noNaN: true }).map((n) => (n < 1e-12 ? 0 : n));
const outcomes: fc.Arbitrary<EvidenceStep> = fc.record({
  outcome_type: fc.constantFrom(...(Object.keys(OUTCOME_TYPES) as OutcomeType[])),
  causal_confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  n_causal: fc.integer({ min: 1, max: 5 }),
  agent_id: fc.constantFrom('agent/a', 'agent/b'),
  at: fc.integer({ min: 0, max: 1000 }),
});
const verdicts: fc.Arbitrary<VerdictStep> = fc
  .record({ trace_seq: fc.integer({ min: 1, max: 40 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .chain(({ trace_seq, share }) =>
    fc.record({
      trace_seq: fc.constant(trace_seq),
      judge_id: fc.constant('judge'),
      judge_version: fc.constant(1),
      verdict: fc.constantFrom('pass' as const, 'fail' as const, 'withdrawn' as const),
      pass: fc.constantFrom(0, share),
      fail: fc.constantFrom(0, 1 - share),
      n_causal: fc.constant(1),
      agent_id: fc.constant('system'),
      overruled: fc.boolean(),
      at: fc.integer({ min: 0, max: 1000 }),
    }),
  );
const models = fc.constantFrom<OutcomeModel>('evidence', 'multiplicative');

type MixedStep = { outcome: EvidenceStep } | { verdict: VerdictStep };
const apply = (model: OutcomeModel, trust: Trust, step: MixedStep): Trust =>
  'verdict' in step ? applyVerdict(trust, step.verdict) : applyStep(model, trust, step.outcome);

const withoutCount = ({ confidence, standing }: Trust) => {
  const { line_count: _, ...verdicts } = standing.verdicts ?? {};
  return { confidence, standing: { ...standing, verdicts } };
};

describe('verdicts and outcomes', () => {
  it('give the same in any order, whatever was corrected in between', () => {
    fc.assert(
      fc.property(
        fc.record({
          model: models,
          claim: claims,
          steps: fc.array(outcomes, { maxLength: 8 }),
          last: fc.uniqueArray(verdicts, { maxLength: 30, selector: ({ trace_seq }) => trace_seq }),
          wrong: fc.array(verdicts, { maxLength: 30 }),
          places: fc.infiniteStream(fc.nat(1000)),
        }),
        ({ model, claim, steps, last, wrong, places }) => {
          const plain = last.map((verdict): MixedStep => ({ verdict }));
          const direct = [...plain, ...steps.map((outcome): MixedStep => ({ outcome }))];
          const known = new Set(last.map(({ trace_seq }) => trace_seq));
          const mixed: MixedStep[] = steps.map((outcome) => ({ outcome }));
          for (const verdict of [...last].reverse())
            mixed.splice((places.next().value ?? 0) % (mixed.length + 1), 0, { verdict });
          for (const verdict of wrong.filter(({ trace_seq }) => known.has(trace_seq))) {
            const final = mixed.findIndex((step) => 'verdict' in step && step.verdict.trace_seq === verdict.trace_seq);
            mixed.splice((places.next().value ?? 0) % (final + 1), 0, { verdict });
          }
          const end = (list: readonly MixedStep[]) =>
            list.reduce((trust, step) => apply(model, trust, step), fresh(claim));
          expect(withoutCount(end(mixed))).toEqual(withoutCount(end(direct)));
        },
      ),
    );
  });

  it('leave what outcomes give when every verdict is taken back', () => {
    fc.assert(
      fc.property(
        models,
        claims,
        fc.array(outcomes, { maxLength: 8 }),
        fc.array(verdicts, { maxLength: 30 }),
        (...of) => {
          const [model, claim, steps, given] = of;
          const judged = given.reduce((trust, verdict) => applyVerdict(trust, verdict), fresh(claim));
          const both = steps.reduce((trust, step) => applyStep(model, trust, step), judged);
          const back = given.reduce((trust, one) => applyVerdict(trust, { ...one, pass: 0, fail: 0 }), both);
          const single = steps.reduce((trust, step) => applyStep(model, trust, step), fresh(claim));
          const { verdicts: _, ...standing } = back.standing;
          expect({ confidence: back.confidence, standing }).toEqual({
            confidence: single.confidence,
            standing: single.standing,
          });
        },
      ),
    );
  });

  it('weigh no more than a plain success, or a minor failure, does', () => {
    fc.assert(
      fc.property(claims, (claim) => {
        const step = { causal_confidence: 1, n_causal: 1, agent_id: 'agent/a', at: 1 };
        const verdict = { trace_seq: 1, judge_id: 'j', judge_version: 1, n_causal: 1, agent_id: 'system', at: 1 };
        const after = (pass: number, fail: number) =>
          applyVerdict(fresh(claim), { ...verdict, verdict: 'pass', overruled: false, pass, fail }).confidence;
        const { confidence: raised } = applyStep('evidence', fresh(claim), { ...step, outcome_type: 'success' });
        const { confidence: lowered } = applyStep('evidence', fresh(claim), { ...step, outcome_type: 'minor_failure' });
        expect(after(1, 0)).toBeLessThanOrEqual(raised + 1e-12);
        expect(after(1, 0)).toBeGreaterThanOrEqual(claim - 1e-12);
        expect(after(0, 1)).toBeGreaterThanOrEqual(lowered - 1e-12);
        expect(after(0, 1)).toBeLessThanOrEqual(claim + 1e-12);
      }),
    );
  });
});

type LedgerMove = { step: MixedStep } | { restated: number };

const moves: fc.Arbitrary<LedgerMove> = fc.oneof(
  outcomes.map((outcome) => ({ step: { outcome } })),
  verdicts.map((verdict) => ({ step: { verdict } })),
  claims.map((restated) => ({ restated })),
);

const nextOf = (model: OutcomeModel, trust: Trust, one: LedgerMove): Trust => {
  if ('step' in one) return apply(model, trust, one.step);
  return trust.standing.outcome_count === 0 ? withClaim(trust, one.restated) : trust;
};

describe('the ledger', () => {
  it('gives the same confidence and standing again, to the last bit', () => {
    fc.assert(
      fc.property(models, claims, fc.array(moves, { maxLength: 40 }), (model, claim, steps) => {
        let trust = fresh(claim);
        const by = { version: 1, agent_id: 'agent/a', at: 1 };
        const life: LifeEvent[] = [{ kind: 'written', same_claim: false, confidence: claim, ...by }];
        for (const one of steps) {
          const before = trust;
          trust = nextOf(model, trust, one);
          const numbers = { before: before.confidence, after: trust.confidence };
          if ('restated' in one) life.push({ kind: 'written', same_claim: true, confidence: one.restated, ...by });
          else if ('verdict' in one.step) life.push({ kind: 'verdict', ...one.step.verdict, ...numbers });
          else life.push({ kind: 'outcome', model, ...one.step.outcome, ...numbers });
        }
        const stored: Standing = JSON.parse(JSON.stringify(trust.standing));
        const story = buildStory(life, UNTOUCHED);
        expect([story.agrees, story.confidence, story.standing]).toEqual([true, trust.confidence, stored]);
        expect(JSON.stringify(story.standing)).toBe(JSON.stringify(stored));
      }),
    );
  });

  it('adds up to the same when a merge brings lines of both kinds', () => {
    fc.assert(
      fc.property(models, claims, fc.array(fc.oneof(outcomes, verdicts), { maxLength: 30 }), (model, claim, steps) => {
        let trust = fresh(claim);
        const lines = steps.map((one, i): UnionLine => {
          const isVerdict = 'trace_seq' in one;
          const confidence_before = trust.confidence;
          trust = apply(model, trust, isVerdict ? { verdict: one } : { outcome: one });
          const none = { trace_seq: null, judge_id: null, judge_version: null, causal_confidence: 1, weight: null };
          const place = { seq: i + 1, no: 0, origin_seq: null, origin_no: null, confidence_before };
          const masses = { evidence_success: null, evidence_failure: null };
          if (!isVerdict) return { ...none, ...masses, ...place, ...one, model };
          const { verdict: outcome_type, pass: evidence_success, fail: evidence_failure } = one;
          return { ...none, ...one, ...place, outcome_type, evidence_success, evidence_failure, model: 'verdict' };
        });
        const sum = sumLines(lines, UNTOUCHED);
        if (lines.length > 0) expect(sum).toEqual({ confidence: trust.confidence, standing: trust.standing });
      }),
    );
  });
});
