import type { Term } from './query.ts';

/** Whether the text at a place has a term. */
export type TermFinds = (at: number, term: Term) => boolean;

/** Finds terms in texts whose words are between spaces. Single words are found in one pass over a text. */
export function findTerms(texts: readonly string[], terms: readonly Term[]): TermFinds {
  const places = new Map(terms.map((term, place) => [term, place]));
  const words = new Map<string, number>();
  const parts: { part: string; place: number }[] = [];
  terms.forEach(({ words: [first = '', ...others], prefix }, place) => {
    if (others.length === 0 && !prefix) words.set(first, place);
    else parts.push({ part: ` ${[first, ...others].join(' ')}${prefix ? '' : ' '}`, place });
  });
  const found = new Uint8Array(texts.length * terms.length);
  // Words are letters and digits, so nothing needs escaping.
  const anyWord = new RegExp(` (${[...words.keys()].join('|')})(?= )`, 'g');
  texts.forEach((text, at) => {
    const from = at * terms.length;
    if (words.size > 0)
      // Quicker than `matchAll`, which copies the expression for each text.
      for (let match = anyWord.exec(text); match; match = anyWord.exec(text))
        found[from + (words.get(match[1] as string) as number)] = 1;
    for (const { part, place } of parts) if (text.includes(part)) found[from + place] = 1;
  });
  return (at, term) => found[at * terms.length + (places.get(term) as number)] === 1;
}
