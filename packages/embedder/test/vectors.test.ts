import { describe, expect, it } from 'vitest';
import {
  addPacked,
  cosine,
  dot,
  hammingAt,
  loadEmbedder,
  PACKED_HEAD_BYTES,
  packedDot,
  packedDots,
  packVector,
  signBits,
  unpackVector,
} from '../src/index.ts';

const embedder = loadEmbedder();
const texts = [
  'the deploy failed because a migration held a lock',
  'rollback is done by the release captain',
  'Dana prefers short answers',
  'the nightly backup of the orders database is kept for 30 days',
];
const [deploy, rollback, dana, backup] = texts.map((text) => embedder.encode(text)) as [
  Float32Array,
  Float32Array,
  Float32Array,
  Float32Array,
];

describe('dot product and cosine', () => {
  it('are those of the numbers', () => {
    expect(dot(Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6))).toBe(32);
    expect(cosine(Float32Array.of(3, 4), Float32Array.of(4, 3))).toBeCloseTo(24 / 25);
    expect(cosine(Float32Array.of(0, 0), Float32Array.of(4, 3))).toBe(0);
  });

  it('need as many dimensions on both sides', () => {
    expect(() => dot(new Float32Array(2), new Float32Array(3))).toThrow(RangeError);
  });
});

describe('one bit for a dimension', () => {
  it('is its sign, and the distance the number of bits that differ', () => {
    const bits = signBits(Float32Array.of(0.5, -0.5, 0, 1));
    expect(bits).toEqual(Uint32Array.of(0b1001));
    expect(hammingAt(bits, Uint32Array.of(7, 0b0101), 1)).toBe(2);
    const all = signBits(new Float32Array(256).fill(1));
    expect(hammingAt(all, signBits(new Float32Array(256).fill(-1)))).toBe(256);
    expect(() => hammingAt(all, all, 1)).toThrow(RangeError);
  });

  it('orders texts roughly as their vectors do', () => {
    const question = signBits(embedder.encode('how is a release undone'));
    const distances = [rollback, dana, backup].map((vector) => hammingAt(question, signBits(vector)));
    expect(Math.min(...distances)).toBe(distances[0]);
  });
});

describe('one byte for a dimension', () => {
  it('keeps the dot product within half a percent, and the length', () => {
    for (const one of [deploy, rollback, dana, backup])
      for (const other of [deploy, rollback, dana, backup])
        expect(Math.abs(packedDot(one, packVector(other)) - dot(one, other))).toBeLessThan(0.005);
    const unpacked = unpackVector(packVector(deploy));
    expect(Math.hypot(...unpacked)).toBeCloseTo(1, 5);
    expect(unpacked.length).toBe(deploy.length);
  });

  it('is read from any place in a list of many', () => {
    const one = packVector(rollback);
    expect(one.length).toBe(PACKED_HEAD_BYTES + 256);
    const many = new Uint8Array(1 + 3 * one.length);
    [deploy, rollback, dana].forEach((vector, at) => {
      many.set(packVector(vector), 1 + at * one.length);
    });
    expect(packedDot(backup, many, 1 + one.length)).toBe(packedDot(backup, one));
    expect(() => packedDot(backup, many, 1 + 3 * one.length)).toThrow(RangeError);
    expect(() => unpackVector(new Uint8Array(2))).toThrow(RangeError);
  });

  it('is compared, and added up, with all others in a list at once', () => {
    const vectors = [deploy, rollback, dana];
    const packed = vectors.map((vector) => packVector(vector));
    const many = new Uint8Array(packed.flatMap((bytes) => [...bytes]));
    const dots = packedDots(backup, many);
    expect(dots).toHaveLength(3);
    for (const [at, bytes] of packed.entries()) expect(dots[at]).toBeCloseTo(packedDot(backup, bytes), 12);
    const sums = new Float64Array(256);
    addPacked(sums, many);
    const unpacked = packed.map((bytes) => unpackVector(bytes));
    for (const [at, sum] of sums.entries())
      expect(sum).toBeCloseTo(
        unpacked.reduce((all, vector) => all + (vector[at] as number), 0),
        5,
      );
    expect(packedDots(backup, new Uint8Array(0))).toEqual([]);
  });

  it('of nothing is nothing', () => {
    expect(packedDot(deploy, packVector(new Float32Array(256)))).toBe(0);
  });
});
