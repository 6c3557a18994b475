export { type Embedder, type EmbedderOptions, loadEmbedder } from './embedder.ts';
export { EMBEDDER_DIMENSIONS, EMBEDDER_NAME } from './table.ts';
export {
  addPacked,
  cosine,
  dot,
  hammingAt,
  PACKED_HEAD_BYTES,
  packedDot,
  packedDots,
  packInto,
  packVector,
  signBits,
  unpackVector,
} from './vectors.ts';
