import type { Term } from '../../text/rules/query.ts';
import { countTerm } from '../../text/rules/rank.ts';
import { words } from '../../text/rules/words.ts';

export type WeightedTerm = { term: Term; weight: number };

/** The passage with the most of a question: its words, rare ones most, and its meaning where there is a cosine. */
export function bestPassage(
  passages: readonly string[],
  terms: readonly WeightedTerm[],
  cosine: (passage: string) => number = () => 0,
): string {
  if (passages.length <= 1) return passages[0] ?? '';
  const mass = terms.reduce((sum, { weight }) => sum + weight, 0);
  const scores = passages.map((passage) => {
    const found = words(passage);
    const weight = terms.reduce((sum, one) => sum + (countTerm(found, one.term) > 0 ? one.weight : 0), 0);
    return (mass > 0 ? weight / mass : 0) + cosine(passage);
  });
  return passages[scores.indexOf(Math.max(...scores))] as string;
}
