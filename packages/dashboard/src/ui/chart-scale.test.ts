import { describe, expect, it } from 'vitest';
import { labelledPlaces, ticksTo } from './chart-scale.ts';

describe('the scale of a chart', () => {
  it.each([
    [0, [1]],
    [1, [1, 2]],
    [5, [3, 6]],
    [7, [5, 10]],
    [50, [25, 50]],
    [100, [50, 100]],
    [117, [100, 200]],
    [3_000, [2_000, 4_000]],
  ])('reaches %d with round numbers', (highest, ticks) => {
    expect(ticksTo(highest)).toEqual(ticks);
  });

  it('labels round places, as many as have room, and the last', () => {
    const places = Array.from({ length: 60 }, (_, i) => ({ isRound: i % 10 === 3 }));
    expect(labelledPlaces(places, 900, 72)).toEqual([3, 13, 23, 33, 43, 53, 59]);
    expect(labelledPlaces(places, 300, 72)).toEqual([3, 23, 43, 59]);
    expect(labelledPlaces([], 300, 72)).toEqual([]);
  });
});
