import type { ReadContext } from '../../kernel/index.ts';
import { clusterCacheOf } from './cluster-cache.ts';
import { listOwnedBlocks, type OwnerSums, type VectorBlock } from './queries.ts';

/** Blocks of vectors that are read at once at most. */
const MAX_BLOCKS = 5_000;

export type WantedClusters = { embedder: number; clusters: readonly number[]; indexed: number };

/** The vectors in bits of some clusters of one owner, as the cache has them or the store. */
export async function readClusters(
  { view, scan, services }: Pick<ReadContext, 'view' | 'scan' | 'services'>,
  { branch, owner, sums }: OwnerSums,
  { embedder, clusters, indexed }: WantedClusters,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const cache = clusterCacheOf(services);
  // The sum alone is the same again where an entry was erased and written again.
  const stamp = `${indexed} ${sums}`;
  const scope = [view.account_id, branch, embedder, owner].join('\n');
  const known = cache.find(scope, stamp, clusters);
  const missing = clusters.filter((cluster) => !known.has(cluster));
  if (missing.length === 0) return known;
  const blocks = await listOwnedBlocks(scan, view, { branch, owner, embedder, clusters: missing, most: MAX_BLOCKS });
  const read = joinBlocks(missing, blocks);
  // Otherwise clusters may be incomplete.
  if (blocks.length < MAX_BLOCKS) cache.keep(scope, stamp, read);
  return new Map([...known, ...read]);
}

/** By cluster, in memory that is shared with the thread. */
function joinBlocks(clusters: readonly number[], blocks: readonly VectorBlock[]): Map<number, Uint8Array> {
  const parts = new Map<number, Buffer[]>(clusters.map((cluster) => [cluster, []]));
  for (const { cluster, records } of blocks) parts.get(cluster)?.push(Buffer.from(records, 'base64'));
  return new Map([...parts].map(([cluster, all]) => [cluster, join(all)]));
}

function join(parts: readonly Buffer[]): Uint8Array {
  const joined = new Uint8Array(new SharedArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)));
  let from = 0;
  for (const part of parts) {
    joined.set(part, from);
    from += part.length;
  }
  return joined;
}
