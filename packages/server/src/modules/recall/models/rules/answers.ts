/** Answers of servers outside the service, which are believed in nothing. */

/** The vectors of texts, each of length 1; null where a text has none. */
export type EmbeddingsAnswer = { vectors: (Float32Array | null)[]; tokens: number };

/** Shorter vectors say too little to be those of a model. */
const LEAST_DIMENSIONS = 8;

type WantedVectors = { count: number; cut: number | null; most: number };

/** The vectors of an answer, or what is wrong with it. */
export function readEmbeddings(answer: unknown, { count, cut, most }: WantedVectors): EmbeddingsAnswer | string {
  const { data, usage } = membersOf(answer);
  if (!Array.isArray(data)) return 'the answer has no list `data`';
  if (data.length !== count) return `it answers ${data.length} vectors for ${count} texts`;
  const vectors: (Float32Array | null | undefined)[] = new Array(count).fill(undefined);
  let length: number | undefined;
  for (const [place, one] of data.entries()) {
    const { index = place, embedding } = membersOf(one);
    if (!isPlace(index, count) || vectors[index] !== undefined) return 'its vectors are not numbered one by one';
    if (!Array.isArray(embedding)) return 'a vector is not a list of numbers';
    length ??= embedding.length;
    if (embedding.length !== length) return 'its vectors have different lengths';
    if (length < LEAST_DIMENSIONS || length > most)
      return `its vectors have ${length} dimensions, not ${LEAST_DIMENSIONS} to ${most}`;
    if (cut !== null && length < cut) return `its vectors have ${length} dimensions, fewer than ${cut}`;
    if (!embedding.every(isFinite32)) return 'a vector has a member that is not a finite number';
    vectors[index] = unitOf(Float32Array.from((embedding as number[]).slice(0, cut ?? undefined)));
  }
  return { vectors: vectors as (Float32Array | null)[], tokens: tokensOf(usage) };
}

/** A score for each text, or what is wrong with the answer. Texts that it leaves out have none. */
export function readRanking(answer: unknown, count: number): (number | undefined)[] | string {
  const results = Array.isArray(answer) ? answer : membersOf(answer).results;
  if (!Array.isArray(results)) return 'the answer has no list `results`';
  if (results.length > count) return `it answers ${results.length} scores for ${count} texts`;
  const scores: (number | undefined)[] = new Array(count).fill(undefined);
  for (const one of results) {
    const { index, relevance_score, score = relevance_score } = membersOf(one);
    if (!isPlace(index, count) || scores[index] !== undefined) return 'its scores are not numbered one by one';
    if (typeof score !== 'number' || !Number.isFinite(score)) return 'a score is not a finite number';
    scores[index] = score;
  }
  return scores;
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const isPlace = (index: unknown, count: number): index is number =>
  Number.isInteger(index) && (index as number) >= 0 && (index as number) < count;

/** Numbers beyond a float of 32 bits would become infinite. */
const MAX_FLOAT = 3e38;
const isFinite32 = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) < MAX_FLOAT;

/** Null where all of it is zero. */
function unitOf(vector: Float32Array): Float32Array | null {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return null;
  // Divided by the largest first: squares of large numbers would be infinite.
  const scaled = vector.map((value) => value / largest);
  const length = Math.sqrt(scaled.reduce((sum, value) => sum + value * value, 0));
  return scaled.map((value) => value / length);
}

function tokensOf(usage: unknown): number {
  const { total_tokens } = membersOf(usage);
  return typeof total_tokens === 'number' && total_tokens >= 0 && total_tokens < 1e12 ? total_tokens : 0;
}
