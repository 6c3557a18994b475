import type { PlanBounds } from './plan-bounds.ts';

/** Null means no limit, and so does a bound that is left out. */
export type UsagePlan = { ops_per_month: number | null } & { [B in keyof PlanBounds]?: PlanBounds[B] | undefined };

export type LlmPrice = { input_per_1m: number; output_per_1m: number; cached_input_per_1m?: number | undefined };

/** A server outside the service with a model; only the operator names it. */
type OutsideServer = { url: string; model: string; key: string | null; timeout_ms: number };

/** A server that makes vectors of texts, as OpenAI's does. */
export type EmbeddingServer = OutsideServer & {
  /** Longer vectors are cut to this length; null keeps them as the model makes them. */
  dimensions: number | null;
  /** Entries that are embedded together. */
  batch: number;
  /** Null means no limit. */
  tokens_per_minute: number | null;
};

/** A server that puts texts into an order, as Cohere's does, or that of Hugging Face's TEI. */
export type RerankingServer = OutsideServer & {
  kind: 'cohere' | 'tei';
  /** How many of the best entries it puts into order. */
  top: number;
};

/** A server of language models, as OpenAI's is, that judges ask. */
export type JudgingServer = Omit<OutsideServer, 'model'> & {
  /** The first is asked unless a judge names another of them. */
  models: readonly string[];
  /** In dollars; null where the table of prices is to be asked. */
  price: LlmPrice | null;
  /** How often an account may ask in a day, whatever its own budget. */
  calls_per_day: number;
  /** What an account may spend in a day, whatever its own budget; null for no bound. */
  usd_per_day: number | null;
};

/** Settings that the operator chooses. */
export type Settings = {
  outcome_model: 'evidence' | 'multiplicative';
  /** Null means that confidence does not decay. */
  half_life_days: number | null;
  trace_signing_key: string | null;
  /** What happens to a write whose value looks like a secret. */
  secrets: 'warn' | 'refuse' | 'off';
  span_payload_max_chars: number;
  /** What makes vectors of entries; without one, `retrieve` finds by words alone. */
  embedder: 'builtin' | 'openai' | 'off';
  /** Set where the embedder is `openai`; the built-in one works beside it. */
  embedding_server: EmbeddingServer | null;
  reranking_server: RerankingServer | null;
  /** Without one, judges of the kind `llm` judge nothing. */
  judging_server: JudgingServer | null;
  /** Whether digests are compiled. */
  cortex: 'on' | 'off';
  /** By model name or its prefix; null means the built-in prices. */
  llm_prices: Readonly<Record<string, LlmPrice>> | null;
  /** How long the ids of deliveries are remembered, so that a repeated one counts once. */
  delivery_days: number;
  /** By name; null means the built-in plans. */
  plans: Readonly<Record<string, UsagePlan>> | null;
  /** Whether usage beyond a plan is refused. */
  quota_enforcement: 'off' | 'block';
  upgrade_url: string | null;
  plan_comparison_url: string | null;
};

export const SETTINGS: Settings = {
  outcome_model: 'evidence',
  half_life_days: null,
  trace_signing_key: null,
  secrets: 'warn',
  span_payload_max_chars: 32_000,
  embedder: 'builtin',
  embedding_server: null,
  reranking_server: null,
  judging_server: null,
  cortex: 'on',
  llm_prices: null,
  delivery_days: 30,
  plans: null,
  quota_enforcement: 'off',
  upgrade_url: null,
  plan_comparison_url: null,
};
