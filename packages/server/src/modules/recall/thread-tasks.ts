import type { WeightedTerm } from './rules/best-passage.ts';
import type { WordWeights } from './rules/word-weights.ts';

/** What is asked of the thread that has the embedder, and its answers. */
export type EmbeddedText = { entry_id: number; document: string };
export type EmbeddedPart = { entry_id: number; part: number; cluster: number; code: string; vector: string };

export type QuestionText = { text: string; weights: WordWeights };
export type EncodedQuestion = Float32Array;
export type PassageQuestion = { terms: readonly WeightedTerm[]; question: EncodedQuestion | undefined };

export type ThreadTasks = {
  embed: { input: { texts: readonly EmbeddedText[] }; output: EmbeddedPart[] };
  question: { input: QuestionText; output: EncodedQuestion };
  nearest: { input: { codes: string; question: EncodedQuestion; most: number }; output: number[] };
  /** The question away from what these vectors have in common. */
  centre: { input: { question: EncodedQuestion; vectors: readonly string[] }; output: EncodedQuestion };
  compare: { input: { vectors: readonly string[]; question: EncodedQuestion }; output: number[] };
  /** The clusters that hold what is near to one of these vectors. */
  clustersOf: { input: { vectors: readonly string[] }; output: number[] };
  /** For each vector the entries whose bits differ least. */
  alike: { input: { codes: string; vectors: readonly string[]; most: number }; output: number[][] };
  /** Each vector compared with others. */
  cosines: { input: { vectors: readonly string[]; among: readonly (readonly string[])[] }; output: number[][] };
  /** How close the words of documents are to those of a question, one by one. */
  related: { input: QuestionText & { documents: readonly string[] }; output: number[] };
  bestPassages: { input: { documents: readonly string[]; asked: PassageQuestion }; output: string[] };
};
export type TaskName = keyof ThreadTasks;
