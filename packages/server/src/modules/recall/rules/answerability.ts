/**
 * The chance that memory holds the answer to a question at all, from what the best hits have in common with it. How it was
 * fitted, and how far it can be trusted: docs/decisions/062-golden-queries.md
 */

/** What the chance is made of. */
export type AnswerSigns = {
  /** The highest cosine of a hit with the question; null where meaning was not compared. */
  meaning: number | null;
  /** The share of the words of the question, by weight, that one hit has at most. */
  words: number;
  /** How much nearer the nearest hit is than those after it; null where meaning was not compared. */
  margin: number | null;
  /** How well the entries around a hit fit, at most. */
  neighbours: number;
};

export type SignedHit = { cosine: number | undefined; words: number; neighbours: number };

/** The best hits, one of which may be the answer. */
const BEST = 5;
/** The hits that the nearest one is compared with. */
const COMPARED = 20;

/** Of hits in order, best first. */
export function signsOf(hits: readonly SignedHit[]): AnswerSigns {
  const best = hits.slice(0, BEST);
  const highest = (values: readonly number[]): number => Math.max(0, ...values);
  const cosines = hits.slice(0, COMPARED).flatMap(({ cosine }) => cosine ?? []);
  const nearest = highest(best.flatMap(({ cosine }) => cosine ?? []));
  const others = cosines.toSorted((a, b) => b - a).slice(1);
  // Of fewer hits it says less, and of a single one nothing.
  const margin = others.reduce((sum, cosine) => sum + nearest - cosine, 0) / (COMPARED - 1);
  const isCompared = cosines.length > 0;
  return {
    meaning: isCompared ? rounded(nearest) : null,
    words: rounded(highest(best.map(({ words }) => words))),
    margin: isCompared ? rounded(margin) : null,
    neighbours: rounded(highest(best.map(({ neighbours }) => neighbours))),
  };
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000 || 0;

type SignWeights = { constant: number; meaning: number; words: number; margin: number; neighbours: number };

/** Fitted by bench/retrieval/answerability.mjs. */
const WITH_MEANING: SignWeights = { constant: -3.4, meaning: 10.85, words: 2.71, margin: -4.33, neighbours: 2.24 };
const BY_WORDS: SignWeights = { constant: -2.41, meaning: 0, words: 6.15, margin: 0, neighbours: 0 };

/** Nothing is certain. */
const LEAST = 0.01;

/** What shares no word may still be the answer, where meaning was not compared. */
export function chanceOf({ meaning, words, margin, neighbours }: AnswerSigns): number {
  const by = meaning === null ? BY_WORDS : WITH_MEANING;
  const sum =
    by.constant +
    by.meaning * (meaning ?? 0) +
    by.words * words +
    by.margin * (margin ?? 0) +
    by.neighbours * neighbours;
  return Math.round(Math.min(1 - LEAST, Math.max(LEAST, 1 / (1 + Math.exp(-sum)))) * 100) / 100;
}
