import { type EmbeddingServer, type ReadContext, readAccount, readCursor } from '../../../kernel/index.ts';
import { modelClientOf } from './model-client.ts';
import { type FailureReason, reasonIn } from './model-error.ts';
import { modelConsumer, modelName, modelNumber } from './model-names.ts';
import { listModels, type VectorModelRow } from './queries.ts';

/** The embedder that the operator chose, where another one compared a question. */
export type EmbedderFallback = {
  from: string;
  reason: 'building' | FailureReason;
  /** Until its vectors are made: the share of the log that it has followed. */
  progress?: number;
};

/** A question as a model outside the service sees it. */
export type ModelQuestion = { vector: Float32Array; embedder: number; name: string };
export type AskedModel = { question?: ModelQuestion; fallback?: EmbedderFallback };

type ServedModel = { server: EmbeddingServer; dimensions: number; fallback?: EmbedderFallback };

/**
 * Asks the model that serves the account for the vector of a question: the one that the operator chose or, until that has
 * caught up, the one before, at the same address. Without an answer in time the built-in embedder compares alone.
 */
export async function askModel(
  context: ReadContext,
  text: string,
  maxMs = Number.POSITIVE_INFINITY,
): Promise<AskedModel> {
  const { embedding_server: server } = context.services.settings;
  if (server === null) return {};
  const served = await servedModel(context, server);
  if (served.server === undefined) return { fallback: served.fallback };
  const timeout_ms = Math.min(served.server.timeout_ms, Math.floor(maxMs));
  const from = modelName(server);
  if (timeout_ms <= 0) return { fallback: { from, reason: 'timeout' } };
  const outcome = await modelClientOf(context.services).question({ ...served.server, timeout_ms }, text);
  if ('failure' in outcome) return { fallback: served.fallback ?? { from, reason: outcome.failure.reason } };
  const vector = outcome.answer;
  if (vector.length !== served.dimensions) return { fallback: { from, reason: 'bad_answer' } };
  const question = { vector, embedder: modelNumber(served.server), name: modelName(served.server) };
  return { question, ...(served.fallback ? { fallback: served.fallback } : {}) };
}

async function servedModel(
  { read, view }: ReadContext,
  server: EmbeddingServer,
): Promise<ServedModel | { server: undefined; fallback: EmbedderFallback }> {
  const { account_id } = view;
  const models = await listModels(read, account_id);
  const isReady = ({ caught_up_at, dimensions }: VectorModelRow) => caught_up_at > 0 && dimensions > 0;
  const own = models.find(({ embedder }) => embedder === modelNumber(server));
  if (own && isReady(own)) return { server, dimensions: own.dimensions };
  const [cursor, account] = await Promise.all([
    readCursor(read, { account_id, consumer: modelConsumer(server) }),
    readAccount(read, account_id),
  ]);
  const progress = Math.floor((100 * (cursor?.seq ?? 0)) / Math.max(account?.seq ?? 0, 1)) / 100;
  const reason = reasonIn(cursor?.last_error ?? '') ?? 'building';
  const fallback: EmbedderFallback = { from: modelName(server), reason, progress };
  const before = models.find((row) => row !== own && isReady(row));
  if (!before) return { server: undefined, fallback };
  const { model, cut_to, dimensions } = before;
  return { server: { ...server, model, dimensions: cut_to === 0 ? null : cut_to }, dimensions, fallback };
}
