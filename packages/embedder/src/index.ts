export { type Embedder, type EmbedderOptions, loadEmbedder } from './embedder.ts';
export { EMBEDDER_DIMENSIONS, EMBEDDER_NAME } from './table.ts';
export {
  cosine,
  dot,
  hammingAt,
  PACKED_HEAD_BYTES,
  packedDot,
  packInto,
  packVector,
  signBits,
  unpackVector,
} from './vectors.ts';
