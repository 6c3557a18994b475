import type { EmbeddingServer, RerankingServer } from '../../../kernel/index.ts';
import { textsOf } from '../encoding.ts';
import { clustersBySigns } from '../rules/clusters.ts';
import { type EmbeddedPart, storedPart } from '../stored-part.ts';
import type { EmbeddedText } from '../thread-tasks.ts';
import { embedQuestion, embedTexts } from './embed-texts.ts';
import { ModelError, type ModelOutcome, outcomeOf } from './model-error.ts';
import { rerankTexts } from './rerank-texts.ts';
import { axesOf } from './rules/axes.ts';

export type EmbeddedDocuments = {
  parts: EmbeddedPart[];
  /** 0 where no document has a vector. */
  dimensions: number;
  tokens: number;
  /** Passages that the server refused. */
  refused: number;
};

/** What is asked of the thread that talks to models, and its answers. */
export type ModelTasks = {
  embed: {
    input: { server: EmbeddingServer; texts: readonly EmbeddedText[] };
    output: ModelOutcome<EmbeddedDocuments>;
  };
  question: {
    input: { server: EmbeddingServer; text: string };
    output: ModelOutcome<{ vector: Float32Array; tokens: number }>;
  };
  rerank: {
    input: { server: RerankingServer; query: string; texts: readonly string[] };
    output: ModelOutcome<(number | undefined)[]>;
  };
};

type TaskRunners = { [N in keyof ModelTasks]: (input: ModelTasks[N]['input']) => Promise<ModelTasks[N]['output']> };

export const TASKS: TaskRunners = {
  embed: (input) => outcomeOf(embed(input)),
  question: (input) => outcomeOf(question(input)),
  rerank: ({ server, query, texts }) => outcomeOf(rerankTexts(server, query, texts)),
};

async function embed({ server, texts }: ModelTasks['embed']['input']): Promise<EmbeddedDocuments> {
  const passages = texts.flatMap(({ entry_id, document }) =>
    textsOf(document).map((text, part) => ({ entry_id, part, text })),
  );
  const { vectors, tokens } = await embedTexts(
    server,
    passages.map(({ text }) => text),
  );
  const parts = passages.flatMap(({ entry_id, part }, at) => {
    const vector = vectors[at];
    return vector ? [storedPart({ entry_id, part, vector, cluster: clustersBySigns.clusterOf(axesOf(vector)) })] : [];
  });
  const dimensions = vectors.find((vector) => vector !== null)?.length ?? 0;
  return { parts, dimensions, tokens, refused: passages.length - parts.length };
}

async function question({ server, text }: ModelTasks['question']['input']) {
  const { vectors, tokens } = await embedQuestion(server, text);
  const [vector] = vectors;
  if (!vector) throw new ModelError('bad_answer', 'the vector of the question is all zeros');
  return { vector, tokens };
}
