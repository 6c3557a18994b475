import { packVector, signBits } from '@mem-service/embedder';
import { HEAD_BYTES, recordBytes, writeHead } from './rules/code-records.ts';

/** The vector of one passage of an entry, as it is stored: in bits and in bytes. */
export type EmbeddedPart = { entry_id: number; part: number; cluster: number; code: string; vector: string };

type NewVector = Pick<EmbeddedPart, 'entry_id' | 'part' | 'cluster'> & { vector: Float32Array };

export function storedPart({ entry_id, part, cluster, vector }: NewVector): EmbeddedPart {
  const bits = signBits(vector);
  const record = new Uint8Array(recordBytes(bits.byteLength));
  writeHead(record, entry_id, part);
  record.set(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength), HEAD_BYTES);
  return { entry_id, part, cluster, code: base64(record), vector: base64(packVector(vector)) };
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
