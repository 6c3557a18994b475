/**
 * How well an entry fits a question: by meaning, by words, by words with a similar meaning, and by the entries written just
 * before and after it. Why it is so, and what was measured: docs/decisions/060-retrieval-scores.md
 */

/** BM25 multiplies the weight of a term by at most this, with its usual k1 of 1.2. */
const MOST_PER_WEIGHT = 2.2;

/**
 * How much words count beside meaning where an entry has all of them, how fast that falls with what is missing, and how much
 * the closeness of single words counts, and what the path and the key alone mean. A single word by chance counts little; where
 * neighbours confirm it, that care costs more than it brings. The names in a sequence show little but its order.
 */
const SHARES = { words: 1.8, power: 1.5, related: 0.25, name: 0.3 };
const SHARES_WITH_NEIGHBOURS = { words: 1.6, power: 1, related: 0.5, name: 0 };

/** How much of what all entries have in common is taken out of a question. */
const COMMON_SHARE = 0.65;

/** The average of fewer candidates says little of what they have in common: one alone would fit no better than itself. */
const MANY_CANDIDATES = 10;

/** How much of their scores the entries one and two places away add. */
const NEIGHBOUR_SHARES = [0.4, 0.2];
/** How much of its score the best of the others in the same sequence adds, wherever it is: it shows what they are about. */
const BEST_SHARE = 0.3;

/** The weight of a term or token that so many of all entries have. Both are counted apart, so there may be more of them. */
export const rarity = (entries: number, matching: number): number =>
  Math.log(1 + (Math.max(entries, matching) - matching + 0.5) / (matching + 0.5));

/**
 * The vector of a question away from the average of all entries: what they have in common does not help to choose among
 * them. It is done to the question alone, so that stored vectors stay valid while the average moves.
 */
export const withoutCommon = (question: Float32Array, average: Float32Array): Float32Array =>
  question.map((value, at) => value - COMMON_SHARE * (average[at] ?? 0));

/** An entry that may answer a question. */
export type RecallCandidate = {
  /** The cosine of its vector with that of the question. */
  cosine: number;
  /** Its BM25 score for the terms of the question, 0 where it has none. */
  bm25: number;
  /** How close its words are to those of the question, one by one; only for the best ones, because it takes longer. */
  related?: number | undefined;
  /** The cosine of its path and key, for the same ones. */
  name?: number | undefined;
  /** What it was written in, and its place there; undefined where entries are no sequence. */
  sequence?: string | undefined;
  place?: number | undefined;
};

/** Adds up to the score. */
export type RecallParts = { meaning: number; words: number; related: number; neighbours: number };
export type RecallScore = { score: number; parts: RecallParts };

export type RecallOptions = {
  /**
   * The weights of all distinct terms of the question, also of those that no entry has: an entry that has one word of six
   * by chance gets little for it.
   */
  weights: readonly number[];
  neighbours: boolean;
};

/** The scores of all candidates of a question, in their order. */
export function scoreCandidates(candidates: readonly RecallCandidate[], options: RecallOptions): RecallScore[] {
  const { weights, neighbours } = options;
  const cosine = averageOf(candidates.map((one) => one.cosine));
  const related = averageOf(candidates.flatMap((one) => one.related ?? []));
  const name = averageOf(candidates.flatMap((one) => one.name ?? []));
  const total = MOST_PER_WEIGHT * weights.reduce((sum, weight) => sum + weight, 0);
  const shares = neighbours ? SHARES_WITH_NEIGHBOURS : SHARES;
  const own = candidates.map((one) => ({
    meaning: one.cosine - cosine,
    words: total > 0 ? shares.words * (one.bm25 / total) ** shares.power : 0,
    related:
      (one.related === undefined ? 0 : shares.related * (one.related - related)) +
      (one.name === undefined ? 0 : shares.name * (one.name - name)),
  }));
  const added = neighbours ? neighbourParts(candidates, own.map(sumOf)) : undefined;
  return own.map(({ meaning, words, related }, at) => {
    const parts = { meaning, words, related, neighbours: added?.[at] ?? 0 };
    return { score: meaning + words + related + parts.neighbours, parts };
  });
}

/** What candidates have in common; of a few of them, only a part of it. */
const averageOf = (values: readonly number[]): number =>
  (Math.min(1, (values.length - 1) / MANY_CANDIDATES) * values.reduce((sum, value) => sum + value, 0)) /
  Math.max(values.length, 1);

const sumOf = ({ meaning, words, related }: Omit<RecallParts, 'neighbours'>): number => meaning + words + related;

/** A neighbour that is no candidate counts as an average entry, which adds nothing. */
function neighbourParts(candidates: readonly RecallCandidate[], scores: readonly number[]): number[] {
  const sequences = new Map<string, ScoredSequence>();
  candidates.forEach(({ sequence, place }, at) => {
    if (sequence === undefined) return;
    const own = sequences.get(sequence) ?? { places: new Map(), best: 0, second: 0 };
    sequences.set(sequence, own);
    const score = scores[at] as number;
    if (place !== undefined) own.places.set(place, score);
    own.second = Math.max(own.second, Math.min(own.best, score));
    own.best = Math.max(own.best, score);
  });
  return candidates.map(({ sequence, place }, at) => {
    const own = sequence === undefined ? undefined : sequences.get(sequence);
    if (own === undefined) return 0;
    const { places, best, second } = own;
    const near = (away: number) => (place === undefined ? 0 : (places.get(place + away) ?? 0));
    const around = NEIGHBOUR_SHARES.reduce((sum, share, by) => sum + share * (near(-by - 1) + near(by + 1)), 0);
    return around + BEST_SHARE * (scores[at] === best ? second : best);
  });
}

/** The scores of a sequence by place, and the two highest above 0. */
type ScoredSequence = { places: Map<number, number>; best: number; second: number };
