/** What a vector is stored as: a bit for each dimension for a first pass, or a byte for each for a second. */

export function dot(a: Float32Array, b: Float32Array): number {
  sameLength(a.length, b.length);
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** 0 where one of the vectors is all zeros. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

const BITS = 32;

/** A bit for each dimension: whether it is above zero. */
export function signBits(vector: Float32Array): Uint32Array<ArrayBuffer> {
  const bits = new Uint32Array(Math.ceil(vector.length / BITS));
  for (let at = 0; at < vector.length; at++)
    if ((vector[at] as number) > 0) bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
  return bits;
}

/** In how many bits a vector differs from the one that begins at `from` in a list of many. */
export function hammingAt(bits: Uint32Array, many: Uint32Array, from = 0): number {
  if (from + bits.length > many.length) throw new RangeError('there is no vector at that place');
  let sum = 0;
  for (let at = 0; at < bits.length; at++) {
    let word = (bits[at] as number) ^ (many[from + at] as number);
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    sum += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return sum;
}

/** A packed vector begins with a factor, a float32 in little-endian order; a signed byte for each dimension follows. */
export const PACKED_HEAD_BYTES = 4;
const MOST = 127;

/**
 * A byte for each dimension. The factor makes the vector as long as it was, rather than the bytes as close as possible: an
 * error in length would change every cosine, one in direction averages out.
 */
export function packVector(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(PACKED_HEAD_BYTES + vector.length);
  packInto(packed, vector);
  return packed;
}

/** The same into memory of its length. */
export function packInto(packed: Uint8Array, vector: Float32Array): void {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) {
    const size = Math.abs(vector[at] as number);
    if (size > largest) largest = size;
  }
  if (largest === 0) {
    packed.fill(0);
    return;
  }
  let squares = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = Math.round(((vector[at] as number) * MOST) / largest);
    packed[PACKED_HEAD_BYTES + at] = value;
    squares += value * value;
  }
  const factor = Math.sqrt(dot(vector, vector) / squares);
  new DataView(packed.buffer, packed.byteOffset).setFloat32(0, factor, true);
}

export function unpackVector(packed: Uint8Array): Float32Array<ArrayBuffer> {
  const { factor, values } = packedParts(packed, 0, packed.length - PACKED_HEAD_BYTES);
  return Float32Array.from(values, (value) => value * factor);
}

/** The dot product of a vector with the packed one that begins at `from` in a list of many. */
export function packedDot(vector: Float32Array, many: Uint8Array, from = 0): number {
  const { factor, values } = packedParts(many, from, vector.length);
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += (vector[at] as number) * (values[at] as number);
  return sum * factor;
}

/** The dot products of a vector with all packed ones in a list: less than half the time of one after the other. */
export function packedDots(vector: Float32Array, many: Uint8Array): number[] {
  const size = PACKED_HEAD_BYTES + vector.length;
  const values = new Int8Array(many.buffer, many.byteOffset, many.length);
  const heads = new DataView(many.buffer, many.byteOffset, many.length);
  const dots = new Array<number>(Math.floor(many.length / size));
  for (let one = 0; one < dots.length; one++) {
    const from = one * size + PACKED_HEAD_BYTES;
    let [a, b, c, d] = [0, 0, 0, 0];
    let at = 0;
    // Four sums do not wait for each other.
    for (; at + 4 <= vector.length; at += 4) {
      a += (vector[at] as number) * (values[from + at] as number);
      b += (vector[at + 1] as number) * (values[from + at + 1] as number);
      c += (vector[at + 2] as number) * (values[from + at + 2] as number);
      d += (vector[at + 3] as number) * (values[from + at + 3] as number);
    }
    for (; at < vector.length; at++) a += (vector[at] as number) * (values[from + at] as number);
    dots[one] = (a + b + c + d) * heads.getFloat32(one * size, true);
  }
  return dots;
}

/** Adds all packed vectors in a list to their sums. */
export function addPacked(sums: Float64Array, many: Uint8Array): void {
  const size = PACKED_HEAD_BYTES + sums.length;
  const values = new Int8Array(many.buffer, many.byteOffset, many.length);
  const heads = new DataView(many.buffer, many.byteOffset, many.length);
  const count = Math.floor(many.length / size);
  const factorOf = (one: number): number => (one < count ? heads.getFloat32(one * size, true) : 0);
  // Four at once, so that sums are loaded and stored a quarter as often. Those beyond the last count nothing.
  for (let one = 0; one < count; one += 4) {
    const [a, b, c, d] = [factorOf(one), factorOf(one + 1), factorOf(one + 2), factorOf(one + 3)];
    const fromA = one * size + PACKED_HEAD_BYTES;
    const [fromB, fromC, fromD] = [1, 2, 3].map((next) => (one + next < count ? fromA + next * size : fromA)) as [
      number,
      number,
      number,
    ];
    for (let at = 0; at < sums.length; at++)
      sums[at] =
        (sums[at] as number) +
        (values[fromA + at] as number) * a +
        (values[fromB + at] as number) * b +
        (values[fromC + at] as number) * c +
        (values[fromD + at] as number) * d;
  }
}

function packedParts(many: Uint8Array, from: number, length: number): { factor: number; values: Int8Array } {
  if (length < 0 || from + PACKED_HEAD_BYTES + length > many.length)
    throw new RangeError('there is no vector at that place');
  const factor = new DataView(many.buffer, many.byteOffset + from).getFloat32(0, true);
  return { factor, values: new Int8Array(many.buffer, many.byteOffset + from + PACKED_HEAD_BYTES, length) };
}

function sameLength(a: number, b: number): void {
  if (a !== b) throw new RangeError(`vectors of ${a} and ${b} dimensions cannot be compared`);
}
