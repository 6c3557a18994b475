import { describe, expect, it } from 'vitest';
import { chanceOf, signsOf } from './answerability.ts';

const hit = (cosine: number) => ({ cosine, words: 0.5, neighbours: 0 });

describe('the signs of an answer', () => {
  it('have a margin of the nearest hit over nineteen others', () => {
    expect(signsOf([hit(0.5), ...Array.from({ length: 19 }, () => hit(0.3))]).margin).toBeCloseTo(0.2);
  });

  it('have less of a margin over a few, and none over nothing: a single entry that fits is a likely answer', () => {
    const single = signsOf([hit(0.5)]);
    expect(single.margin).toBe(0);
    expect(signsOf([hit(0.5), hit(0.3)]).margin).toBeCloseTo(0.2 / 19, 3);
    expect(chanceOf(single)).toBeGreaterThan(0.9);
  });
});
