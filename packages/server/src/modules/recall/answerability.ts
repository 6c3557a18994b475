import type { RecallEntries } from './candidates.ts';
import type { RankedEntry } from './rank.ts';
import { type AnswerSigns, chanceOf, signsOf } from './rules/answerability.ts';

/** The chance that memory holds the answer, from the best hits; entries that the caller may not see are not among them. */
export function answerabilityOf(
  hits: readonly RankedEntry[],
  entries: RecallEntries,
  { weights, isCompared, isUnknown }: { weights: readonly number[]; isCompared: boolean; isUnknown: boolean },
): { chance: number | null; signs: AnswerSigns } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const signed = hits.slice(0, MOST).map(({ row, breakdown }) => {
    const { cosine, counted } = entries.get(row.seq) ?? {};
    const had = weights.reduce((sum, weight, term) => sum + ((counted?.counts[term] ?? 0) > 0 ? weight : 0), 0);
    return { cosine, words: total > 0 ? had / total : 0, neighbours: breakdown.neighbours };
  });
  const signs = signsOf(signed);
  if (isUnknown) return { chance: null, signs };
  return { chance: isCompared && hits.length === 0 ? 0 : chanceOf(signs), signs };
}

/** More than the signs look at. */
const MOST = 20;
