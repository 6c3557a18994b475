import type { RecallParts } from './score.ts';

/** What is known of a candidate besides how well it fits. */
export type TrustedCandidate = {
  confidence: number;
  /** From -1 to 1. */
  evidence: number;
  /** From 0 to 1; undefined where the question has no time. */
  nearness?: number | undefined;
  isArtifact: boolean;
  /** Whether it fits by its time alone, because the question names nothing else. */
  isListed?: boolean;
};

export type TrustWeights = { confidence: number; evidence: number; recency: number };

/** How well an entry fits, also as a reranker sees it. */
export type RerankedParts = RecallParts & { rerank: number };
export type WeighedParts = RerankedParts & { confidence: number; evidence: number; recency: number; artifact: number };
export type WeighedScore = { score: number; breakdown: WeighedParts };

/** Trust changes a score by at most this share of it. */
const MOST_TRUST = 0.5;
const ARTIFACT_SHARE = 0.5;

/** To four digits: finer ones are noise. */
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000 || 0;

export const fitOf = ({ meaning, words, related, neighbours }: RecallParts): number =>
  meaning + words + related + neighbours;

/** Weighs how well an entry fits with how far it can be trusted. What does not fit is not made better by trust. */
export function weigh(parts: RerankedParts, of: TrustedCandidate, weights: TrustWeights): WeighedScore {
  const fit = Math.max(0, fitOf(parts) + parts.rerank);
  const all = weights.confidence + weights.evidence;
  const trust = all > 0 ? (MOST_TRUST * fit) / all : 0;
  const confidence = trust * weights.confidence * of.confidence;
  const evidence = trust * weights.evidence * of.evidence;
  const recency = of.nearness === undefined ? 0 : (of.isListed ? 1 : fit) * weights.recency * of.nearness;
  const breakdown: WeighedParts = {
    meaning: rounded(parts.meaning),
    words: rounded(parts.words),
    related: rounded(parts.related),
    neighbours: rounded(parts.neighbours),
    rerank: rounded(parts.rerank),
    confidence: rounded(confidence),
    evidence: rounded(evidence),
    recency: rounded(recency),
    artifact: of.isArtifact ? rounded(-ARTIFACT_SHARE * (fit + confidence + evidence + recency)) : 0,
  };
  return { score: rounded(Object.values(breakdown).reduce((sum, part) => sum + part, 0)), breakdown };
}

/**
 * Meaning is relative to the average of the candidates, so that a score may be below 0. All are raised alike until none is;
 * the order and what trust adds stay.
 */
export function fromZero<T extends WeighedScore>(scores: readonly T[]): T[] {
  const lowest = Math.min(0, ...scores.map(({ score }) => score));
  return scores.map((one) => ({
    ...one,
    score: rounded(one.score - lowest),
    breakdown: { ...one.breakdown, meaning: rounded(one.breakdown.meaning - lowest) },
  }));
}
