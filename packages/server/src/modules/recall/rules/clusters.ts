/**
 * Vectors are kept in clusters, so that a question about very many entries is compared with those near to it. Cosines with
 * the first dimensions, which say most, decide.
 */
export const CLUSTERS = 256;
const DIMENSIONS = 64;

/** The cluster of a vector, and all clusters for a question, nearest first. */
export type Clustering = { clusterOf(vector: Float32Array): number; nearest(question: Float32Array): number[] };

/** Each cluster is what is nearest to one of these vectors. */
export function clustersAround(anchors: readonly Float32Array[]): Clustering {
  const rows = new Float32Array(anchors.length * DIMENSIONS);
  anchors.forEach((anchor, row) => {
    const start = anchor.subarray(0, DIMENSIONS);
    const length = Math.sqrt(start.reduce((sum, value) => sum + value * value, 0)) || 1;
    rows.set(
      start.map((value) => value / length),
      row * DIMENSIONS,
    );
  });
  const product = (vector: Float32Array, row: number): number => {
    let sum = 0;
    for (let at = 0, from = row * DIMENSIONS; at < DIMENSIONS; at++)
      sum += (vector[at] as number) * (rows[from + at] as number);
    return sum;
  };
  return {
    clusterOf(vector) {
      let best = 0;
      let highest = Number.NEGATIVE_INFINITY;
      for (let row = 0; row < anchors.length; row++) {
        const one = product(vector, row);
        if (one > highest) [best, highest] = [row, one];
      }
      return best;
    },
    nearest: (question) => nearestFirst(anchors.map((_, row) => -product(question, row))),
  };
}

const SIGNS = 8;

/** For vectors of which nothing is known: clusters are the signs of some dimensions. */
export const clustersBySigns: Clustering = {
  clusterOf(vector) {
    let cluster = 0;
    for (let bit = 0; bit < SIGNS; bit++) if ((vector[bit] ?? 0) > 0) cluster |= 1 << bit;
    return cluster;
  },
  /** Those come first that differ from the own one where the question is nearly zero. */
  nearest(question) {
    const own = this.clusterOf(question);
    const away = (cluster: number): number => {
      let sum = 0;
      for (let bit = 0; bit < SIGNS; bit++) if (((cluster ^ own) >> bit) & 1) sum += Math.abs(question[bit] ?? 0);
      return sum;
    };
    return nearestFirst(Array.from({ length: CLUSTERS }, (_, cluster) => away(cluster)));
  },
};

const nearestFirst = (distances: readonly number[]): number[] =>
  distances.map((_, cluster) => cluster).sort((a, b) => (distances[a] as number) - (distances[b] as number) || a - b);

/** Up to this many vectors all clusters are read. */
const FEW_VECTORS = 25_000;

/** How many clusters are read: 20 % of them for 100,000 vectors, 10 % for ten times as many. */
export const clustersToRead = (vectors: number): number =>
  vectors <= FEW_VECTORS ? CLUSTERS : Math.max(1, Math.ceil(CLUSTERS * 0.2 * (100_000 / vectors) ** 0.3));
