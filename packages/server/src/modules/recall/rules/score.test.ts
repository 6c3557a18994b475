import { describe, expect, it } from 'vitest';
import { type RecallCandidate, rarity, scoreCandidates, withoutCommon } from './score.ts';

const candidates: RecallCandidate[] = [
  { cosine: 0.5, bm25: 0, sequence: 's1', place: 1 },
  { cosine: 0.1, bm25: 6.6, sequence: 's1', place: 2 },
  { cosine: 0.3, bm25: 0, sequence: 's2', place: 3 },
  { cosine: -0.1, bm25: 2.2 },
];
const weights = [1, 2];
/** Enough of them: the same again in other sequences. */
const enough = [0, 1, 2].flatMap((n) =>
  candidates.map((one) => ({ ...one, sequence: one.sequence && one.sequence + n })),
);
const scores = (neighbours: boolean) => scoreCandidates(enough, { weights, neighbours }).slice(0, candidates.length);

describe('the weight of a term', () => {
  it('falls with the number of entries that have it, and is never negative', () => {
    const weightsOf = [0, 1, 10, 99, 100].map((matching) => rarity(100, matching));
    expect(weightsOf[0]).toBeCloseTo(Math.log(1 + 100.5 / 0.5));
    expect(weightsOf).toEqual([...weightsOf].sort((a, b) => b - a));
    expect(weightsOf.every((weight) => weight > 0)).toBe(true);
  });
});

describe('the vector of a question', () => {
  it('loses most of what all entries have in common', () => {
    expect(withoutCommon(Float32Array.of(1, 0), Float32Array.of(0.5, 0.5))).toEqual(Float32Array.of(0.675, -0.325));
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

  it('is more than nothing where a candidate is alone, or one of a few', () => {
    const single = scoreCandidates([{ cosine: 0.54, bm25: 0, related: 0.4 }], { weights: [], neighbours: false });
    expect(single[0]?.parts).toMatchObject({ meaning: 0.54, related: 0.1 });
    const two = scoreCandidates(
      [0.5, 0.5].map((cosine) => ({ cosine, bm25: 0 })),
      { weights: [], neighbours: false },
    );
    for (const { score } of two) expect(score).toBeCloseTo(0.45);
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
    const compared = [...enough, ...enough].map((one, at) => (at < 12 ? { ...one, related: at % 2 } : one));
    const related = scoreCandidates(compared, { weights, neighbours: false }).map(({ parts }) => parts.related);
    expect([related[0], related[1], ...related.slice(12, 14)]).toEqual([-0.125, 0.125, 0, 0]);
  });

  it('has a share of what its name fits better than those of the others, where entries are no sequence', () => {
    const compared = [...enough, ...enough].map((one, at) => (at < 12 ? { ...one, name: at % 2 } : one));
    const names = (neighbours: boolean) =>
      scoreCandidates(compared, { weights, neighbours }).map(({ parts }) => parts.related);
    expect(names(false).slice(0, 2)).toEqual([-0.15, 0.15]);
    expect(names(false)[12]).toBe(0);
    expect(names(true).every((related) => related === 0)).toBe(true);
  });

  it('gets a share of the scores one and two places away in the same sequence, and of the best there', () => {
    const own = scores(true).map(({ parts }) => parts.meaning + parts.words);
    expect(own[1]).toBeCloseTo(-0.1 + 1.6);
    const added = scores(true).map(({ parts }) => parts.neighbours);
    expect(added[0]).toBeCloseTo(0.4 * (own[1] as number) + 0.3 * (own[1] as number));
    expect(added[1]).toBeCloseTo(0.4 * (own[0] as number) + 0.3 * (own[0] as number));
    // Alone in its sequence, and in none.
    expect(added.slice(2)).toEqual([0, 0]);
    const apart = scoreCandidates(
      ['s', 't', 'u', 'v'].flatMap((sequence) =>
        [1, 3, 6].map((place) => ({ cosine: place, bm25: 0, sequence, place })),
      ),
      { weights: [], neighbours: true },
    );
    const best = 0.3 * (6 - 10 / 3);
    const expected = [0.2 * (3 - 10 / 3) + best, 0.2 * (1 - 10 / 3) + best, 0];
    for (const [at, { parts }] of apart.slice(0, 3).entries())
      expect(parts.neighbours).toBeCloseTo(expected[at] as number);
  });

  it('is without neighbours unless they are asked for', () => {
    expect(scores(false).every(({ parts }) => parts.neighbours === 0)).toBe(true);
  });

  it('is a number for questions without terms and for no candidates', () => {
    expect(scoreCandidates([], { weights: [], neighbours: true })).toEqual([]);
    expect(scoreCandidates([{ cosine: 0.3, bm25: 0 }], { weights: [], neighbours: true })[0]?.score).toBe(0.3);
  });
});
