import type { WeightedTerm } from './rules/best-passage.ts';
import type { WordWeights } from './rules/word-weights.ts';
import type { EmbeddedPart } from './stored-part.ts';
import type { VectorSums } from './vector-sums.ts';

/** What is asked of the thread that has the embedder, and its answers. */
export type EmbeddedText = { entry_id: number; document: string };

export type QuestionText = { text: string; weights: WordWeights };
export type EncodedQuestion = Float32Array;
/** Away from what all vectors have in common. All clusters come nearest first, cosines in the order of the vectors. */
export type QuestionVectors = { question: EncodedQuestion; clusters: number[]; cosines: number[] };
/** Vectors one after another, in Base64. */
export type VectorTexts = { vectors: string; count: number };
export type PassageQuestion = { terms: readonly WeightedTerm[]; question: EncodedQuestion | undefined };

export type RelatedQuestion = QuestionText & { documents: readonly string[]; question: EncodedQuestion | undefined };

/** The vectors in bits of one cluster, in shared memory. */
export type BitsOfCluster = { cluster: number; records: Uint8Array };
export type ComparedVectors = {
  /** The first of those to compare, among the own ones. */
  from: number;
  own: readonly string[];
  others: readonly string[];
  /** The places of others for each of those to compare. */
  among: number[][];
  least: number;
  most: number;
};

export type ThreadTasks = {
  embed: { input: { texts: readonly EmbeddedText[] }; output: EmbeddedPart[] };
  /** A question among these vectors and those of the sums. Undefined where it has no word that the embedder knows. */
  ask: { input: QuestionText & VectorTexts & { sums: readonly VectorSums[] }; output: QuestionVectors | undefined };
  nearest: { input: { blocks: readonly Uint8Array[]; question: EncodedQuestion; most: number }; output: number[] };
  compare: { input: VectorTexts & { question: EncodedQuestion }; output: number[] };
  /** For each vector the clusters that hold what is near to it, nearest first. */
  clustersOf: { input: { vectors: readonly string[] }; output: number[][] };
  /** For each vector the entries of its clusters whose bits fit best. */
  fitting: {
    input: { blocks: readonly BitsOfCluster[]; vectors: readonly string[]; clusters: number[][]; most: number };
    output: number[][];
  };
  /** The nearest to some of the own vectors, `most` of all own ones, and of those among the others, whose places come after them. */
  alike: {
    input: ComparedVectors;
    output: { place: number; cosine: number }[][];
  };
  /** How close the words of documents are to those of a question, one by one, and their names to its vector, if it has one. */
  related: { input: RelatedQuestion; output: { words: number[]; names: number[] } };
  bestPassages: { input: { documents: readonly string[]; asked: PassageQuestion }; output: string[] };
};
