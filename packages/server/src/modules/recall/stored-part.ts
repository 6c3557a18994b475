import { packVector } from '@mem-service/embedder';

/** The vector of one passage of an entry, as it is stored. */
export type EmbeddedPart = { entry_id: number; part: number; cluster: number; vector: string };

type NewVector = Pick<EmbeddedPart, 'entry_id' | 'part' | 'cluster'> & { vector: Float32Array };

export const storedPart = ({ entry_id, part, cluster, vector }: NewVector): EmbeddedPart => ({
  ...{ entry_id, part, cluster },
  vector: Buffer.from(packVector(vector).buffer).toString('base64'),
});
