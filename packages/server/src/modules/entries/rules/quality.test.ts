import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assessQuality } from './quality.ts';

const LONG = 'Retry payments at most five times with a backoff that doubles each time.';

function assess(value: unknown, more: { memory_type?: string; confidence?: number } = {}) {
  const { issues, ...rest } = assessQuality({
    key: 'k',
    value,
    confidence: 0.8,
    memory_type: 'fact',
    pattern_refs: [],
    ...more,
  });
  return { ...rest, types: issues.map(({ type }) => type) };
}

const ok = (score: number, ...types: string[]) => ({ score, action: 'stored_ok', types });
const improvable = (score: number, ...types: string[]) => ({ score, action: 'stored_with_suggestions', types });

describe('assessQuality', () => {
  it('is content with a structured value of some length', () => {
    expect(assess({ text: LONG })).toEqual(ok(1));
  });

  it('asks for more than 49 characters', () => {
    expect(assess('x'.repeat(49))).toEqual(improvable(0.7, 'too_short'));
    expect(assess('x'.repeat(50))).toEqual(ok(0.9, 'unstructured'));
    expect(assess({ a: 1 })).toEqual(improvable(0.7, 'too_short'));
    expect(assess(null)).toEqual(improvable(0.7, 'too_short'));
  });

  it('asks a belief for a reason and for modesty', () => {
    const belief = { memory_type: 'belief' };
    expect(assess({ text: LONG }, belief)).toEqual(ok(0.9, 'belief_no_rationale'));
    expect(assess({ text: LONG, reason: 'seen twice' }, belief)).toEqual(ok(1));
    expect(assess(`${LONG} Because the gateway is slow.`, belief)).toEqual(ok(0.9, 'unstructured'));
    expect(assess({ text: LONG, reason: 'x' }, { ...belief, confidence: 0.91 })).toEqual(
      ok(0.9, 'overconfident_belief'),
    );
    expect(assess({ text: LONG, reason: 'x' }, { ...belief, confidence: 0.9 })).toEqual(ok(1));
    expect(assess(LONG, { ...belief, confidence: 1 })).toEqual(
      improvable(0.7, 'unstructured', 'belief_no_rationale', 'overconfident_belief'),
    );
    expect(assess({ text: LONG }, { confidence: 1 })).toEqual(ok(1));
  });

  it('calls 0.8 still good', () => {
    expect(assess(LONG, { memory_type: 'belief' })).toEqual(ok(0.8, 'unstructured', 'belief_no_rationale'));
  });

  it('asks a procedure for its shape', () => {
    const procedure = { memory_type: 'procedure' };
    const good = { goal: LONG, steps: ['one', { action: 'two' }, { action: 'three', action_key: 'k' }] };
    expect(assess(good, procedure)).toEqual(ok(1));
    expect(
      assess({ ...good, effects: [], evidence: ['e'], depends_on: [{ ref: 'a/b', version: 2 }] }, procedure),
    ).toEqual(ok(1));
    for (const [more, type] of [
      [{ goal: undefined, note: LONG }, 'missing_goal'],
      [{ goal: ' ', note: LONG }, 'missing_goal'],
      [{ steps: [] }, 'missing_steps'],
      [{ steps: 'one' }, 'missing_steps'],
      [{ steps: ['one', {}] }, 'malformed_step'],
      [{ steps: ['one', ''] }, 'malformed_step'],
      [{ steps: [{ action: 'one', action_key: 1 }] }, 'malformed_step'],
      [{ effects: 'some' }, 'malformed_effects'],
      [{ evidence: {} }, 'malformed_evidence'],
      [{ depends_on: ['a/b'] }, 'malformed_depends_on'],
      [{ depends_on: [{ ref: 'a/b', version: 0 }] }, 'malformed_depends_on'],
    ] as const) {
      expect(assess({ ...good, ...more }, procedure)).toEqual(ok(0.9, type));
    }
    expect(assess(LONG, procedure)).toEqual(ok(0.9, 'not_structured'));
    expect(assess({ text: LONG }, procedure)).toEqual(ok(0.8, 'missing_goal', 'missing_steps'));
    expect(assess({ goal: 1 })).toEqual(improvable(0.7, 'too_short'));
  });

  it('says what is wrong and what to do for every issue', () => {
    const { issues } = assessQuality({ key: 'k', value: 1, confidence: 1, memory_type: 'belief', pattern_refs: [] });
    expect(issues).toHaveLength(3);
    for (const { message, suggestion } of issues) expect(message && suggestion).toBeTruthy();
  });

  it('scores anything between 0 and 1', () => {
    const kind = fc.constantFrom('fact', 'belief', 'experience', 'procedure');
    fc.assert(
      fc.property(
        fc.jsonValue(),
        kind,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (value, memory_type, confidence) => {
          const { score, action, types } = assess(value, { memory_type, confidence });
          expect(score >= 0 && score <= 1).toBe(true);
          expect(action).toBe(score >= 0.8 ? 'stored_ok' : 'stored_with_suggestions');
          expect(score === 1).toBe(types.length === 0);
        },
      ),
    );
  });
});
