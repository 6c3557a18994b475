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
  const rows = new Float64Array(Math.ceil(anchors.length / TOGETHER) * TOGETHER * DIMENSIONS);
  anchors.forEach((anchor, row) => {
    const first = anchor.subarray(0, DIMENSIONS);
    const length = Math.sqrt(first.reduce((sum, value) => sum + value * value, 0)) || 1;
    rows.set(
      first.map((value) => value / length),
      row * DIMENSIONS,
    );
  });
  const start = new Float64Array(DIMENSIONS);
  const products = new Float64Array(rows.length / DIMENSIONS);
  const productsWith = (vector: Float32Array): Float64Array => {
    start.set(vector.subarray(0, DIMENSIONS));
    multiply(rows, start, products);
    return products.subarray(0, anchors.length);
  };
  return {
    clusterOf(vector) {
      const all = productsWith(vector);
      let best = 0;
      for (let row = 1; row < all.length; row++) if ((all[row] as number) > (all[best] as number)) best = row;
      return best;
    },
    nearest: (question) => nearestFirst(Array.from(productsWith(question), (product) => -product)),
  };
}

/** Rows that are multiplied at once: one by one, each addition waits for the one before, which takes three times as long. */
const TOGETHER = 4;

function multiply(rows: Float64Array, vector: Float64Array, products: Float64Array): void {
  for (let row = 0, from = 0; row < products.length; row += TOGETHER, from += TOGETHER * DIMENSIONS) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = 0; at < DIMENSIONS; at++) {
      const value = vector[at] as number;
      a += value * (rows[from + at] as number);
      b += value * (rows[from + DIMENSIONS + at] as number);
      c += value * (rows[from + 2 * DIMENSIONS + at] as number);
      d += value * (rows[from + 3 * DIMENSIONS + at] as number);
    }
    products[row] = a;
    products[row + 1] = b;
    products[row + 2] = c;
    products[row + 3] = d;
  }
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
