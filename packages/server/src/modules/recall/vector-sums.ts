/** How many vectors there are, and their sum: numbers of eight bytes in Base64. */
export type VectorSums = { vectors: number; sums: string };

/** A copy, because numbers of eight bytes must begin at a multiple of eight. */
export const sumsOf = ({ sums }: VectorSums): Float64Array =>
  new Float64Array(new Uint8Array(Buffer.from(sums, 'base64')).buffer);
