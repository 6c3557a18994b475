import { describe, expect, it } from 'vitest';
import type { ChartStep } from './entry-data.ts';
import { rangeOf, reasonOf, sentence, shapeOf } from './story-scale.ts';

const step = (confidence_before: number | null, confidence_after: number, kind: ChartStep['kind'] = 'outcome') =>
  ({ kind, confidence_before, confidence_after }) as ChartStep;

describe('the chart of a confidence', () => {
  it('cuts its axis to the range in use, with labels at both ends', () => {
    expect(rangeOf([step(null, 0.8), step(0.8, 0.85)])).toEqual({ low: 0.7, high: 0.9, ticks: [0.9, 0.8, 0.7] });
    expect(rangeOf([step(null, 0.95), step(0.95, 0.1)])).toMatchObject({ low: 0, high: 1 });
    expect(rangeOf([step(null, 1)])).toMatchObject({ low: 0.8, high: 1 });
    expect(rangeOf([step(null, 0)])).toMatchObject({ low: 0, high: 0.2 });
  });

  it('draws what was written as a square, and moves by their direction', () => {
    const steps = [step(null, 0.8, 'written'), step(0.8, 0.9), step(0.9, 0.4), step(0.4, 0.4)];
    expect(steps.map(shapeOf)).toEqual(['written', 'up', 'down', 'level']);
  });
});

describe('the words of the service', () => {
  it('are shown as they are, without the numbers that stand beside them', () => {
    const numbers = { confidence_before: 0.9, confidence_after: 0.44 };
    expect(reasonOf({ ...numbers, why: 'failure of a (weight 2.00): 0.90 -> 0.44, now discredited' })).toBe(
      'failure of a (weight 2.00), now discredited',
    );
    expect(reasonOf({ ...numbers, why: 'written by a in version 1: 0.80' })).toBe('written by a in version 1: 0.80');
  });

  it('begin a paragraph as a sentence', () => {
    expect(sentence('stands at 0.34')).toBe('Stands at 0.34.');
  });
});
