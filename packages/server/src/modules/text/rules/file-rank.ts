/** BM25 as FTS5 computes it, for texts that its index does not have yet. */

const K1 = 1.2;
const B = 0.75;

/** The weight of a term that `matches` of so many rows have. FTS5 gives a term of more than half of them almost none. */
export function fileIdf(rows: number, matches: number): number {
  const idf = Math.log((rows - matches + 0.5) / (matches + 0.5));
  return idf > 0 ? idf : 1e-6;
}

/** The factor of a text that has the term so often; its length is relative to the average. */
export const fileScore = (count: number, relativeLength: number): number =>
  (count * (K1 + 1)) / (count + K1 * (1 - B + B * relativeLength));

/** How many rows an index has, and how many words. */
export type Averages = { rows: number; words: number };

/** Reads the record in which FTS5 keeps its averages: numbers of a variable length, first the rows, then the words. */
export function averagesOf(block: Uint8Array | undefined): Averages {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (; block && at < block.length; ) {
      const byte = block[at++] as number;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return value;
  };
  return { rows: next(), words: next() };
}
