import { PACKED_HEAD_BYTES, packInto } from '@mem-service/embedder';

/** The vector of one passage of an entry, as it is stored. */
export type EmbeddedPart = { entry_id: number; part: number; cluster: number; vector: string };

type NewVector = Pick<EmbeddedPart, 'entry_id' | 'part' | 'cluster'> & { vector: Float32Array };

export function storedPart({ entry_id, part, cluster, vector }: NewVector): EmbeddedPart {
  const packed = Buffer.allocUnsafe(PACKED_HEAD_BYTES + vector.length);
  packInto(packed, vector);
  return { entry_id, part, cluster, vector: packed.toString('base64') };
}
