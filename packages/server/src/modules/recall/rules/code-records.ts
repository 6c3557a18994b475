/**
 * A vector in bits, with the passage it belongs to: six bytes of the number of the entry, one of its part, then the bits.
 * Records of one length follow each other in a block. As Base64 they have no padding, so that blocks can be joined as texts.
 */
const ENTRY_BYTES = 6;
export const HEAD_BYTES = ENTRY_BYTES + 1;

/** How long the record of a vector of so many dimensions is: a multiple of three. */
export const recordBytes = (dimensions: number): number => Math.ceil((HEAD_BYTES + Math.ceil(dimensions / 8)) / 3) * 3;

/** Numbers of 48 bits. */
const HALF = 2 ** 24;

function writeHead(record: Uint8Array, entryId: number, part: number): void {
  const high = Math.floor(entryId / HALF);
  const low = entryId % HALF;
  for (let at = 0; at < 3; at++) {
    record[at] = (high >> (16 - 8 * at)) & 0xff;
    record[at + 3] = (low >> (16 - 8 * at)) & 0xff;
  }
  record[ENTRY_BYTES] = part;
}

export function entryIdAt(records: Uint8Array, from: number): number {
  const three = (at: number) =>
    ((records[at] as number) << 16) | ((records[at + 1] as number) << 8) | (records[at + 2] as number);
  return three(from) * HALF + three(from + 3);
}

export type RecordName = { entry_id: number; part: number };

/** A bit for each dimension of a vector in signed bytes: whether it is above zero. */
export function recordOf({ entry_id, part }: RecordName, values: Int8Array): Uint8Array {
  const record = new Uint8Array(recordBytes(values.length));
  writeHead(record, entry_id, part);
  let bits = 0;
  for (let at = 0; at < values.length; at++) {
    if ((values[at] as number) > 0) bits |= 1 << (at & 7);
    if ((at & 7) < 7 && at + 1 < values.length) continue;
    record[HEAD_BYTES + (at >>> 3)] = bits;
    bits = 0;
  }
  return record;
}

const nameOf = ({ entry_id, part }: RecordName): string => `${entry_id} ${part}`;

/** A block without some of its records, which are `size` bytes long. */
export function removeRecords(block: Uint8Array, removed: readonly RecordName[], size: number): Uint8Array {
  const names = new Set(removed.map(nameOf));
  const kept: Uint8Array[] = [];
  for (let from = 0; from + size <= block.length; from += size) {
    const name = { entry_id: entryIdAt(block, from), part: block[from + ENTRY_BYTES] as number };
    if (!names.has(nameOf(name))) kept.push(block.subarray(from, from + size));
  }
  return Buffer.concat(kept);
}

/** Whole numbers are added faster. */
const SCALE = 2 ** 20;

/** For each byte of bits and each value it may have, what it adds to the product with a question. */
function productsOf(question: Float32Array): Int32Array {
  const bytes = Math.ceil(question.length / 8);
  const products = new Int32Array(256 * bytes);
  for (let byte = 0; byte < bytes; byte++) {
    const of = (bit: number): number => Math.round(SCALE * (question[8 * byte + bit] ?? 0));
    for (let bit = 0; bit < 8; bit++) products[256 * byte] = (products[256 * byte] as number) - of(bit);
    for (let value = 1; value < 256; value++) {
      // The same without its highest bit, which is known already.
      const bit = 31 - Math.clz32(value);
      products[256 * byte + value] = (products[256 * byte + value - (1 << bit)] as number) + 2 * of(bit);
    }
  }
  return products;
}

type Products = { products: Int32Array; size: number; bytes: number };

/** Writes the products of all records with a question. */
function scoreRecords(scores: Int32Array, records: Uint8Array, { products, size, bytes }: Products): void {
  for (let at = 0; at < scores.length; at++) {
    const from = at * size + HEAD_BYTES;
    let sum = 0;
    let byte = 0;
    // Four at a time take half as long.
    for (; byte + 4 <= bytes; byte += 4)
      sum =
        (sum +
          (products[(byte << 8) + (records[from + byte] as number)] as number) +
          (products[((byte + 1) << 8) + (records[from + byte + 1] as number)] as number) +
          (products[((byte + 2) << 8) + (records[from + byte + 2] as number)] as number) +
          (products[((byte + 3) << 8) + (records[from + byte + 3] as number)] as number)) |
        0;
    for (; byte < bytes; byte++) sum += products[(byte << 8) + (records[from + byte] as number)] as number;
    scores[at] = sum;
  }
}

/** The entries of the records, in some blocks, whose bits fit a question best, best first, each once. */
export function nearestRecords(blocks: readonly Uint8Array[], question: Float32Array, most: number): number[] {
  const size = recordBytes(question.length);
  const counts = blocks.map((block) => Math.floor(block.length / size));
  const scores = new Int32Array(counts.reduce((sum, count) => sum + count, 0));
  const products = { products: productsOf(question), size, bytes: Math.ceil(question.length / 8) };
  let from = 0;
  const scored = blocks.map((block, at) => {
    const own = scores.subarray(from, from + (counts[at] as number));
    from += own.length;
    scoreRecords(own, block, products);
    return { block, own };
  });
  const least = leastOfBest(scores, most);
  const near: { id: number; score: number }[] = [];
  for (const { block, own } of scored)
    for (let at = 0; at < own.length; at++) {
      const score = own[at] as number;
      if (score >= least) near.push({ id: entryIdAt(block, at * size), score });
    }
  near.sort((a, b) => b.score - a.score || a.id - b.id);
  return [...new Set(near.map(({ id }) => id))].slice(0, most);
}

const STEPS = 1024;

/** A score that at least so many of the best have, and few others. */
function leastOfBest(scores: Int32Array, most: number): number {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  if (scores.length <= most || lowest === highest) return lowest;
  const width = (highest - lowest) / STEPS;
  const counts = new Uint32Array(STEPS + 1);
  for (const score of scores) {
    const step = Math.floor((score - lowest) / width);
    counts[step] = (counts[step] as number) + 1;
  }
  let step = STEPS;
  for (let taken = counts[step] as number; taken < most; taken += counts[step] as number) step--;
  // A step lower, because of the last digits.
  return lowest + (step - 1) * width;
}
