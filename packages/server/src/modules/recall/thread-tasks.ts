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
  compare: { input: { vectors: readonly string[]; question: EncodedQuestion }; output: number[] };
  /** Null where a text has no words. */
  compareDocuments: { input: { documents: readonly string[]; question: EncodedQuestion }; output: (number | null)[] };
  bestPassages: { input: { documents: readonly string[]; asked: PassageQuestion }; output: string[] };
};
export type TaskName = keyof ThreadTasks;
