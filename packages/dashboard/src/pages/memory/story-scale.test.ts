import { describe, expect, it } from 'vitest';
import type { ChartStep } from './entry-data.ts';
import { markedSteps, reasonOf, sentence, shapeOf } from './story-scale.ts';

const step = (confidence_before: number | null, confidence_after: number, kind: ChartStep['kind'] = 'outcome') =>
  ({ kind, confidence_before, confidence_after }) as ChartStep;

describe('the chart of a confidence', () => {
  it('marks every step that has room, or else those that moved most', () => {
    const flat = Array.from({ length: 40 }, () => step(0.2, 0.2));
    const steps = [step(null, 0.8, 'written'), step(0.8, 0.8), step(0.8, 0.3), step(0.3, 0.2), ...flat];
    expect(markedSteps(steps, 0.5)).toHaveLength(steps.length);
    const marked = markedSteps(steps, 4);
    expect(marked).toContain(2);
    expect(marked.every((i, n) => n === 0 || i - (marked[n - 1] ?? 0) >= 4)).toBe(true);
  });

  it('draws what was written as a square, and moves by their direction', () => {
    const steps = [step(null, 0.8, 'written'), step(0.8, 0.9), step(0.9, 0.4), step(0.4, 0.4), step(0.204, 0.201)];
    expect(steps.map(shapeOf)).toEqual(['written', 'up', 'down', 'level', 'level']);
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
