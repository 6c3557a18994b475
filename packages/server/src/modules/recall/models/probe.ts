import type { EmbeddingServer, RerankingServer, Settings } from '../../../kernel/index.ts';
import { embedQuestion } from './embed-texts.ts';
import { type ModelFailure, type ModelOutcome, outcomeOf } from './model-error.ts';
import { rerankTexts } from './rerank-texts.ts';

/** What a server of models did when it was tried. */
export type ModelProbe = {
  what: 'embedder' | 'reranker';
  /** Without a query, which may hold a secret. */
  address: string;
  model: string;
  /** How long a question waits for it. */
  timeout_ms: number;
  took_ms: number;
  /** Dimensions of its vectors, before they are cut. */
  dimensions?: number;
  cut_to?: number | undefined;
  failure?: ModelFailure;
};

/** A model that was not used for a while may have to be loaded first. */
const PROBE_MS = 30_000;
const QUESTION = 'Who pays for failed retries?';
const TEXTS = ['The payments team pays.', 'Bread is baked on Fridays.'];

/** Asks the servers that the settings name one question each. */
export async function probeModels(settings: Settings): Promise<ModelProbe[]> {
  const { embedding_server: embedder, reranking_server: reranker } = settings;
  return [...(embedder ? [await probeEmbedder(embedder)] : []), ...(reranker ? [await probeReranker(reranker)] : [])];
}

async function probeEmbedder(server: EmbeddingServer): Promise<ModelProbe> {
  const patient = { ...server, dimensions: null, timeout_ms: Math.max(PROBE_MS, server.timeout_ms) };
  const { outcome, took_ms } = await timed(embedQuestion(patient, QUESTION));
  const base = { what: 'embedder' as const, ...factsOf(server), took_ms };
  if ('failure' in outcome) return { ...base, failure: outcome.failure };
  const dimensions = outcome.answer.vectors[0]?.length ?? 0;
  const cut_to = server.dimensions ?? undefined;
  const isShort = cut_to !== undefined && dimensions < cut_to;
  const failure: ModelFailure = { reason: 'bad_answer', detail: `its vectors have ${dimensions} dimensions` };
  return { ...base, dimensions, cut_to, ...(isShort ? { failure } : {}) };
}

async function probeReranker(server: RerankingServer): Promise<ModelProbe> {
  const patient = { ...server, timeout_ms: Math.max(PROBE_MS, server.timeout_ms) };
  const { outcome, took_ms } = await timed(rerankTexts(patient, QUESTION, TEXTS));
  const base = { what: 'reranker' as const, ...factsOf(server), took_ms };
  return 'failure' in outcome ? { ...base, failure: outcome.failure } : base;
}

function factsOf({ url, model, timeout_ms }: EmbeddingServer | RerankingServer) {
  const { origin, pathname } = new URL(url);
  return { address: `${origin}${pathname}`, model, timeout_ms };
}

async function timed<T>(asked: Promise<T>): Promise<{ outcome: ModelOutcome<T>; took_ms: number }> {
  const start = performance.now();
  const outcome = await outcomeOf(asked);
  return { outcome, took_ms: Math.round(performance.now() - start) };
}
