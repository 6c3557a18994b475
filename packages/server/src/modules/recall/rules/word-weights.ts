import type { CountedText } from '../../text/rules/rank.ts';
import { stem } from '../../text/rules/stem.ts';
import { isAskingWord } from './question.ts';

/** Weights of words by their stems, and that of all others but those that only ask. */
export type WordWeights = { known: readonly (readonly [string, number])[]; others: number };

export function weightOfWord({ known, others }: WordWeights): (word: string) => number {
  const weights = new Map(known);
  return (word) => weights.get(stem(word)) ?? (isAskingWord(word) ? 0 : others);
}

/** BM25 of texts for terms of these weights, with the usual k1 = 1.2 and b = 0.75. */
export function bm25Of(texts: readonly CountedText[], weights: readonly number[]): number[] {
  let total = 0;
  for (const { length } of texts) total += length;
  const average = Math.max(total / Math.max(texts.length, 1), 1);
  return texts.map(({ length, counts }) => {
    const norm = 1.2 * (0.25 + (0.75 * length) / average);
    let score = 0;
    for (let term = 0; term < weights.length; term++) {
      const count = counts[term] ?? 0;
      if (count > 0) score += ((weights[term] as number) * (count * 2.2)) / (count + norm);
    }
    return score;
  });
}
