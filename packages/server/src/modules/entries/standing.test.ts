import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Standing, standingJson, UNTOUCHED } from './standing.ts';

const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const count = fc.nat();
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });

const standings: fc.Arbitrary<Standing> = fc.record({
  outcome_count: count,
  success_count: count,
  failure_count: count,
  evidence_success: number,
  evidence_failure: number,
  prior_confidence: orNull(number),
  last_outcome: orNull(fc.string({ unit: 'binary' })),
  last_outcome_at: orNull(fc.maxSafeInteger()),
  discredited_at: orNull(fc.maxSafeInteger()),
  validators: fc.array(fc.string({ unit: 'binary' }), { maxLength: 10 }),
  tier: count,
  priority_score: orNull(number),
  importance_score: orNull(number),
  importance_dimensions: orNull(fc.dictionary(fc.string(), number)),
});

describe('the text of a standing', () => {
  it('is what JSON.stringify makes of it', () => {
    expect(standingJson(UNTOUCHED)).toBe(JSON.stringify(UNTOUCHED));
    fc.assert(fc.property(standings, (standing) => standingJson(standing) === JSON.stringify(inOrder(standing))));
  });
});

/** With its members in the order in which they are stored. */
const inOrder = (standing: Standing) => Object.assign({}, UNTOUCHED, standing);
