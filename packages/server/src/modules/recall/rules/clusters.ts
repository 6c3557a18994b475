/**
 * Vectors are kept in clusters, so that a question about very many entries is compared with those near to it. Cosines with
 * the first dimensions, which say most, decide.
 */
export const CLUSTERS = 256;
const DIMENSIONS = 64;

/** The cluster of a vector, and all clusters for a question, nearest first. */
export type Clustering = { clusterOf(vector: Float32Array): number; nearest(question: Float32Array): number[] };

export type ClusteringOfMany = Clustering & {
  /** The clusters of vectors, in about half of the time for each. */
  clustersOf(vectors: readonly Float32Array[]): number[];
};

/** Each cluster is what is nearest to one of these vectors. */
export function clustersAround(anchors: readonly Float32Array[]): ClusteringOfMany {
  const rows = rowsTogether(anchors);
  const products = new Float64Array((2 * rows.length) / DIMENSIONS);
  const half = products.length / 2;
  const starts = new Float64Array(2 * DIMENSIONS);
  const multiply = (one: Float32Array, other: Float32Array): void => {
    starts.set(one.subarray(0, DIMENSIONS));
    starts.set(other.subarray(0, DIMENSIONS), DIMENSIONS);
    multiplyTwo(rows, starts, products);
  };
  const highest = (from: number): number => {
    let best = 0;
    for (let row = 1; row < anchors.length; row++)
      if ((products[from + row] as number) > (products[from + best] as number)) best = row;
    return best;
  };
  return {
    clusterOf(vector) {
      multiply(vector, vector);
      return highest(0);
    },
    clustersOf(vectors) {
      const found: number[] = [];
      for (let at = 0; at < vectors.length; at += 2) {
        const one = vectors[at] as Float32Array;
        multiply(one, vectors[at + 1] ?? one);
        found.push(highest(0), highest(half));
      }
      return found.slice(0, vectors.length);
    },
    nearest(question) {
      multiply(question, question);
      return nearestFirst(Array.from(products.subarray(0, anchors.length), (product) => -product));
    },
  };
}

/** Rows that are multiplied at once: one by one, each addition waits for the one before, which takes three times as long. */
const TOGETHER = 4;

/** The start of each vector, at unit length; those of four vectors by dimension. */
function rowsTogether(anchors: readonly Float32Array[]): Float64Array {
  const rows = new Float64Array(Math.ceil(anchors.length / TOGETHER) * TOGETHER * DIMENSIONS);
  anchors.forEach((anchor, row) => {
    const first = anchor.subarray(0, DIMENSIONS);
    const length = Math.sqrt(first.reduce((sum, value) => sum + value * value, 0)) || 1;
    const from = Math.floor(row / TOGETHER) * TOGETHER * DIMENSIONS + (row % TOGETHER);
    for (const [at, value] of first.map((one) => one / length).entries()) rows[from + TOGETHER * at] = value;
  });
  return rows;
}

/** Products of two vectors with all rows. Each row is loaded once for both. */
function multiplyTwo(rows: Float64Array, vectors: Float64Array, products: Float64Array): void {
  const half = products.length / 2;
  for (let row = 0, place = 0; row < half; row += TOGETHER) {
    let [a, b, c, d] = [0, 0, 0, 0];
    let [e, f, g, h] = [0, 0, 0, 0];
    for (let at = 0; at < DIMENSIONS; at++, place += TOGETHER) {
      const one = vectors[at] as number;
      const other = vectors[DIMENSIONS + at] as number;
      const first = rows[place] as number;
      const second = rows[place + 1] as number;
      const third = rows[place + 2] as number;
      const fourth = rows[place + 3] as number;
      a += one * first;
      b += one * second;
      c += one * third;
      d += one * fourth;
      e += other * first;
      f += other * second;
      g += other * third;
      h += other * fourth;
    }
    products[row] = a;
    products[row + 1] = b;
    products[row + 2] = c;
    products[row + 3] = d;
    products[half + row] = e;
    products[half + row + 1] = f;
    products[half + row + 2] = g;
    products[half + row + 3] = h;
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
