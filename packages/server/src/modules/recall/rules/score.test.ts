import { describe, expect, it } from 'vitest';
import { type RecallCandidate, rarity, scoreCandidates, withoutCommon } from './score.ts';

const candidates: RecallCandidate[] = [
  { cosine: 0.5, bm25: 0, sequence: 's1', place: 1 },
  { cosine: 0.1, bm25: 6.6, sequence: 's1', place: 2 },
  { cosine: 0.3, bm25: 0, sequence: 's2', place: 3 },
  { cosine: -0.1, bm25: 2.2 },
];
const weights = [1, 2];
const scores = (neighbours: boolean) => scoreCandidates(candidates, { weights, neighbours });

describe('the weight of a term', () => {
  it('falls with the number of entries that have it, and is never negative', () => {
    const weightsOf = [0, 1, 10, 99, 100].map((matching) => rarity(100, matching));
    expect(weightsOf[0]).toBeCloseTo(Math.log(1 + 100.5 / 0.5));
    expect(weightsOf).toEqual([...weightsOf].sort((a, b) => b - a));
    expect(weightsOf.every((weight) => weight > 0)).toBe(true);
  });
});

describe('the vector of a question', () => {
  it('loses half of what all entries have in common', () => {
    expect(withoutCommon(Float32Array.of(1, 0), Float32Array.of(0.5, 0.5))).toEqual(Float32Array.of(0.75, -0.25));
  });
});

describe('the score of a candidate', () => {
  it('is its cosine above the average, and its share of the words that the question has', () => {
    const meaning = [0.3, -0.1, 0.1, -0.3];
    for (const [at, { parts }] of scores(false).entries()) expect(parts.meaning).toBeCloseTo(meaning[at] as number);
    // All of the weight, a third of it.
    expect(scores(false)[1]?.parts.words).toBeCloseTo(1.8);
    expect(scores(false)[3]?.parts.words).toBeCloseTo(1.8 * (1 / 3) ** 1.5);
    expect(scores(true)[3]?.parts.words).toBeCloseTo(1.6 / 3);
  });

  it('gives little for one word of many by chance, also when no entry has the others', () => {
    const [, one] = scoreCandidates(candidates, { weights: [...weights, 9, 9, 9], neighbours: false });
    expect(one?.parts.words).toBeCloseTo(1.8 * 0.1 ** 1.5);
  });

  it.each([false, true])('is the sum of its parts (neighbours: %s)', (neighbours) => {
    for (const { score, parts } of scores(neighbours))
      expect(score).toBe(parts.meaning + parts.words + parts.neighbours);
  });

  it('has a share of what its words are closer than those of the others that were compared', () => {
    const compared = candidates.map((one, at) => (at < 2 ? { ...one, related: at } : one));
    const related = scoreCandidates(compared, { weights, neighbours: false }).map(({ parts }) => parts.related);
    expect(related).toEqual([-0.125, 0.125, 0, 0]);
  });

  it('gets a share of the scores one and two places away in the same sequence', () => {
    const own = scores(true).map(({ parts }) => parts.meaning + parts.words);
    expect(own[1]).toBeCloseTo(-0.1 + 1.6);
    const added = scores(true).map(({ parts }) => parts.neighbours);
    expect(added[0]).toBeCloseTo(0.4 * (own[1] as number));
    expect(added[1]).toBeCloseTo(0.4 * (own[0] as number));
    // Alone in its sequence, and in none.
    expect(added.slice(2)).toEqual([0, 0]);
    const apart = scoreCandidates(
      [1, 3, 6].map((place) => ({ cosine: place, bm25: 0, sequence: 's', place })),
      { weights: [], neighbours: true },
    );
    const expected = [0.2 * (3 - 10 / 3), 0.2 * (1 - 10 / 3), 0];
    for (const [at, { parts }] of apart.entries()) expect(parts.neighbours).toBeCloseTo(expected[at] as number);
  });

  it('is without neighbours unless they are asked for', () => {
    expect(scores(false).every(({ parts }) => parts.neighbours === 0)).toBe(true);
  });

  it('is a number for questions without terms and for no candidates', () => {
    expect(scoreCandidates([], { weights: [], neighbours: true })).toEqual([]);
    expect(scoreCandidates([{ cosine: 0.3, bm25: 0 }], { weights: [], neighbours: true })[0]?.score).toBe(0);
  });
});
