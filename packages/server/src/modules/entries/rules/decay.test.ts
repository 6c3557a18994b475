import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveConfidence, type FadingMemory } from './decay.ts';

const DAY_MS = 86_400_000;
const WRITTEN_AT = 1_700_000_000_000;
const entry = (more: Partial<FadingMemory> = {}): FadingMemory => ({
  confidence: 0.8,
  memory_type: 'fact',
  written_at: WRITTEN_AT,
  recall_count: 0,
  outcome_count: 0,
  ...more,
});
const at = (days: number, half_life_days: number | null = 30) => ({
  half_life_days,
  now: WRITTEN_AT + days * DAY_MS,
});

describe('effective confidence', () => {
  it.each([
    [{}, 0.4],
    [{ memory_type: 'belief' }, 0.2],
    [{ memory_type: 'experience' }, 0.504],
    [{ memory_type: 'procedure' }, 0.5657],
    [{ recall_count: 3 }, 0.5983],
    [{ outcome_count: 5 }, 0.5657],
    [{ recall_count: 3, outcome_count: 1 }, 0.6919],
  ])('of 0.8 with %o is after a half-life of 30 days %d', (more, left) => {
    expect(effectiveConfidence(entry(more), at(30))).toBeCloseTo(left, 4);
  });

  it('is the stored one where there is no half-life', () => {
    for (const half of [null, 0, -1]) expect(effectiveConfidence(entry(), at(365, half))).toBe(0.8);
  });

  it('is not raised by a clock that is behind', () => {
    expect(effectiveConfidence(entry(), at(-30))).toBe(0.8);
    expect(effectiveConfidence(entry(), at(0))).toBe(0.8);
  });

  it('never grows with time and never leaves 0 to the stored one', () => {
    const entries = fc.record({
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      memory_type: fc.constantFrom('fact', 'belief', 'experience', 'procedure'),
      written_at: fc.constant(WRITTEN_AT),
      recall_count: fc.nat(),
      outcome_count: fc.nat(3),
    });
    const days = fc.double({ min: -1e4, max: 1e5, noNaN: true });
    const half = fc.double({ min: 5e-324, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(entries, fc.tuple(days, days), half, (one, pair, half_life_days) => {
        const [earlier, later] = pair
          .toSorted((a, b) => a - b)
          .map((day) => effectiveConfidence(one, at(day, half_life_days))) as [number, number];
        expect(later).toBeLessThanOrEqual(earlier);
        expect(later).toBeGreaterThanOrEqual(0);
        expect(earlier).toBeLessThanOrEqual(one.confidence);
      }),
    );
  });
});
