/**
 * A vector in bits, with the passage it belongs to: six bytes of the number of the entry, one of its part, then the bits.
 * Records of one length follow each other in a block.
 */
const ENTRY_BYTES = 6;
export const HEAD_BYTES = ENTRY_BYTES + 1;

/** How long the record of a vector of so many dimensions is. */
export const recordBytes = (dimensions: number): number => HEAD_BYTES + Math.ceil(dimensions / 8);

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
  for (let at = 0; at < values.length; at++)
    if ((values[at] as number) > 0) {
      const byte = HEAD_BYTES + (at >>> 3);
      record[byte] = (record[byte] as number) | (1 << (at & 7));
    }
  return record;
}

const nameOf = ({ entry_id, part }: RecordName): string => `${entry_id} ${part}`;

/** A block without some of its records, and with new ones at its end. */
export function changeRecords(
  block: Uint8Array,
  { removed, added, size }: { removed: readonly RecordName[]; added: readonly Uint8Array[]; size: number },
): Uint8Array {
  const names = new Set(removed.map(nameOf));
  const kept: Uint8Array[] = [];
  for (let from = 0; from + size <= block.length; from += size) {
    const name = { entry_id: entryIdAt(block, from), part: block[from + ENTRY_BYTES] as number };
    if (!names.has(nameOf(name))) kept.push(block.subarray(from, from + size));
  }
  return Buffer.concat([...kept, ...added]);
}

/** For each byte of bits and each value it may have, what it adds to the product with a question. */
function productsOf(question: Float32Array): Float32Array {
  const bytes = Math.ceil(question.length / 8);
  const products = new Float32Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte++)
    for (let value = 0; value < 256; value++) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit++) {
        const one = question[8 * byte + bit] ?? 0;
        sum += (value >> bit) & 1 ? one : -one;
      }
      products[256 * byte + value] = sum;
    }
  return products;
}

/** The entries of the records whose bits fit a question best, best first, each once. */
export function nearestRecords(blocks: readonly Uint8Array[], question: Float32Array, most: number): number[] {
  const products = productsOf(question);
  const size = recordBytes(question.length);
  const count = blocks.reduce((sum, { length }) => sum + Math.floor(length / size), 0);
  const scores = new Float32Array(count);
  const ids = new Float64Array(count);
  let at = 0;
  for (const block of blocks)
    for (let from = 0; from + size <= block.length; from += size, at++) {
      let sum = 0;
      for (let byte = HEAD_BYTES, row = 0; byte < size; byte++, row += 256)
        sum += products[row + (block[from + byte] as number)] as number;
      scores[at] = sum;
      ids[at] = entryIdAt(block, from);
    }
  const least = leastOfBest(scores, most);
  const near: number[] = [];
  for (let one = 0; one < count; one++) if ((scores[one] as number) >= least) near.push(one);
  near.sort((a, b) => (scores[b] as number) - (scores[a] as number) || (ids[a] as number) - (ids[b] as number));
  return [...new Set(near.map((one) => ids[one] as number))].slice(0, most);
}

/** What the best so many scores have at least. */
function leastOfBest(scores: Float32Array, most: number): number {
  if (scores.length <= most) return Number.NEGATIVE_INFINITY;
  return scores.slice().sort()[scores.length - most] as number;
}
