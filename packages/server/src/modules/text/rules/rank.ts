import type { Term } from './query.ts';

/** Counts how often the words of a term follow each other in a text. */
export function countTerm(words: readonly string[], term: Term): number {
  let count = 0;
  const first = term.words.length > 1 || !term.prefix ? term.words[0] : undefined;
  for (let from = 0; from + term.words.length <= words.length; from++)
    if ((first === undefined || words[from] === first) && isAt(words, from, term)) count++;
  return count;
}

function isAt(words: readonly string[], from: number, { words: wanted, prefix }: Term): boolean {
  return wanted.every((word, i) => {
    const found = words[from + i] as string;
    return prefix && i === wanted.length - 1 ? found.startsWith(word) : found === word;
  });
}

/** What the rank of a text depends on: how many words it has, and how often each term occurs. */
export type CountedText = { length: number; counts: readonly number[] };

export const countTerms = (words: readonly string[], terms: readonly Term[]): CountedText => termCounter(terms)(words);

/** Counts terms in texts. Single words are counted in one pass over a text. */
export function termCounter(terms: readonly Term[]): (words: readonly string[]) => CountedText {
  const single = new Map<string, number>();
  const others: number[] = [];
  terms.forEach(({ words: [first], words: { length }, prefix }, at) => {
    if (first === undefined || length > 1 || prefix || single.has(first)) others.push(at);
    else single.set(first, at);
  });
  return (words) => {
    const counts = new Array<number>(terms.length).fill(0);
    for (const word of words) {
      const at = single.get(word);
      if (at !== undefined) counts[at] = (counts[at] as number) + 1;
    }
    for (const at of others) counts[at] = countTerm(words, terms[at] as Term);
    return { length: words.length, counts };
  };
}

/** BM25 scores of texts relative to each other, with the usual k1 = 1.2 and b = 0.75; 0 where no term matches. */
export function rankTexts(texts: readonly CountedText[]): number[] {
  const average = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(texts.length, 1);
  const idfs = (texts[0]?.counts ?? []).map((_, term) => {
    const matching = texts.filter(({ counts }) => (counts[term] as number) > 0).length;
    return Math.log(1 + (texts.length - matching + 0.5) / (matching + 0.5));
  });
  return texts.map(({ length, counts }) => {
    const norm = 1.2 * (0.25 + (0.75 * length) / Math.max(average, 1));
    return idfs.reduce((score, idf, term) => {
      const count = counts[term] as number;
      return score + (idf * (count * 2.2)) / (count + norm);
    }, 0);
  });
}
