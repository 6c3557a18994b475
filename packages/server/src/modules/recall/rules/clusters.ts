/**
 * Vectors are kept in clusters, so that a question about many entries compares those near to it. The first dimensions of a
 * vector say most about it; a cluster is the signs of some of them.
 */
const CLUSTER_BITS = 6;
export const CLUSTERS = 2 ** CLUSTER_BITS;

export function clusterOf(vector: Float32Array): number {
  let cluster = 0;
  for (let bit = 0; bit < CLUSTER_BITS; bit++) if ((vector[bit] as number) > 0) cluster |= 1 << bit;
  return cluster;
}

/** The clusters nearest to a vector, nearest first: those that differ from its own where it is nearly zero. */
export function nearestClusters(vector: Float32Array, count: number): number[] {
  const own = clusterOf(vector);
  const away = (cluster: number): number => {
    let sum = 0;
    for (let bit = 0; bit < CLUSTER_BITS; bit++)
      if (((cluster ^ own) >> bit) & 1) sum += Math.abs(vector[bit] as number);
    return sum;
  };
  const distances = Array.from({ length: CLUSTERS }, (_, cluster) => away(cluster));
  return distances
    .map((_, cluster) => cluster)
    .sort((a, b) => (distances[a] as number) - (distances[b] as number) || a - b)
    .slice(0, count);
}
