/**
 * A vector in bits, with the entry it belongs to: six bytes of the number of the entry, one of its part, then the bits. As
 * Base64 a record has no padding, so that records can be joined as texts and read as one.
 */
const ENTRY_BYTES = 6;
export const HEAD_BYTES = ENTRY_BYTES + 1;

/** How long a record is whose vector has so many bytes of bits; a multiple of three. */
export const recordBytes = (codeBytes: number): number => Math.ceil((HEAD_BYTES + codeBytes) / 3) * 3;

/** Numbers of 48 bits. */
const HALF = 2 ** 24;

export function writeHead(record: Uint8Array, entryId: number, part: number): void {
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

const BIT_COUNTS = new Uint8Array(256);
for (let byte = 1; byte < 256; byte++) BIT_COUNTS[byte] = (byte & 1) + (BIT_COUNTS[byte >> 1] as number);

/** The entries of the records whose bits differ least, nearest first, each once. */
export function nearestRecords(records: Uint8Array, bits: Uint8Array, most: number): number[] {
  const codeBytes = bits.length;
  const size = recordBytes(codeBytes);
  const count = Math.floor(records.length / size);
  const distances = new Uint16Array(count);
  const counts = new Uint32Array(8 * codeBytes + 1);
  for (let at = 0; at < count; at++) {
    const from = at * size + HEAD_BYTES;
    let sum = 0;
    for (let byte = 0; byte < codeBytes; byte++)
      sum += BIT_COUNTS[(records[from + byte] as number) ^ (bits[byte] as number)] as number;
    distances[at] = sum;
    counts[sum] = (counts[sum] as number) + 1;
  }
  let limit = 0;
  for (let taken = 0; limit < counts.length && taken < most; limit++) taken += counts[limit] as number;
  const near: number[] = [];
  for (let at = 0; at < count; at++) if ((distances[at] as number) < limit) near.push(at);
  near.sort((a, b) => (distances[a] as number) - (distances[b] as number) || a - b);
  return [...new Set(near.map((at) => entryIdAt(records, at * size)))].slice(0, most);
}
