import type { Term } from './query.ts';

/** Counts how often the words of a term follow each other in a text. */
export function countTerm(words: readonly string[], term: Term): number {
  let count = 0;
  for (let from = 0; from + term.words.length <= words.length; from++) if (isAt(words, from, term)) count++;
  return count;
}

function isAt(words: readonly string[], from: number, { words: wanted, prefix }: Term): boolean {
  return wanted.every((word, i) => {
    const found = words[from + i] as string;
    return prefix && i === wanted.length - 1 ? found.startsWith(word) : found === word;
  });
}

/** BM25 scores of texts relative to each other, with the usual k1 = 1.2 and b = 0.75; 0 where no term matches. */
export function rankTexts(texts: readonly (readonly string[])[], terms: readonly Term[]): number[] {
  const average = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(texts.length, 1);
  const scores = texts.map(() => 0);
  for (const term of terms) {
    const counts = texts.map((words) => countTerm(words, term));
    const matching = counts.filter((count) => count > 0).length;
    const idf = Math.log(1 + (texts.length - matching + 0.5) / (matching + 0.5));
    counts.forEach((count, i) => {
      const length = (texts[i] as readonly string[]).length;
      const weight = (count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / Math.max(average, 1)));
      scores[i] = (scores[i] as number) + idf * weight;
    });
  }
  return scores;
}
