import * as z from 'zod';
import type { Environment } from './config.ts';
import { webAddress } from './config-addresses.ts';
import type { EmbeddingServer, JudgingServer, RerankingServer, Settings } from './kernel/settings.ts';

export const modelAddress = webAddress.refine(
  (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
  'must have no user or password in it: the key has a variable of its own',
);
export const modelName = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 visible characters');
/** Several, the usual one first. */
export const modelNames = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(modelName).min(1).max(20));
export const tokenPrice = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be dollars for a million tokens, such as 2.5')
  .transform(Number);
export const dollars = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be dollars, such as 2.5')
  .transform(Number);
export const modelKey = z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must have visible characters alone');

type EmbedderVariables = {
  MEM_EMBEDDER: Settings['embedder'];
  MEM_EMBEDDER_URL?: string | undefined;
  MEM_EMBEDDER_MODEL?: string | undefined;
  MEM_EMBEDDER_KEY?: string | undefined;
  MEM_EMBEDDER_DIMENSIONS?: number | undefined;
  MEM_EMBEDDER_BATCH: number;
  MEM_EMBEDDER_TIMEOUT_MS: number;
  MEM_EMBEDDER_BUDGET?: number | undefined;
};

type RerankerVariables = {
  MEM_RERANKER: 'off' | RerankingServer['kind'];
  MEM_RERANKER_URL?: string | undefined;
  MEM_RERANKER_MODEL?: string | undefined;
  MEM_RERANKER_KEY?: string | undefined;
  MEM_RERANKER_TOP: number;
  MEM_RERANKER_TIMEOUT_MS: number;
};

type JudgeVariables = {
  MEM_JUDGE_URL?: string | undefined;
  MEM_JUDGE_MODEL?: readonly string[] | undefined;
  MEM_JUDGE_KEY?: string | undefined;
  MEM_JUDGE_TIMEOUT_MS: number;
  MEM_JUDGE_INPUT_PRICE?: number | undefined;
  MEM_JUDGE_OUTPUT_PRICE?: number | undefined;
  MEM_JUDGE_CALLS_PER_DAY: number;
  MEM_JUDGE_USD_PER_DAY?: number | undefined;
};

export function readEmbeddingServer(v: EmbedderVariables): EmbeddingServer | null {
  const { MEM_EMBEDDER_URL: url, MEM_EMBEDDER_MODEL: model } = v;
  if (v.MEM_EMBEDDER !== 'openai' || url === undefined || model === undefined) return null;
  return {
    url: withEnding(url, 'embeddings'),
    model,
    key: v.MEM_EMBEDDER_KEY ?? null,
    dimensions: v.MEM_EMBEDDER_DIMENSIONS ?? null,
    batch: v.MEM_EMBEDDER_BATCH,
    timeout_ms: v.MEM_EMBEDDER_TIMEOUT_MS,
    tokens_per_minute: v.MEM_EMBEDDER_BUDGET ?? null,
  };
}

export function readRerankingServer(v: RerankerVariables): RerankingServer | null {
  const { MEM_RERANKER: kind, MEM_RERANKER_URL: url, MEM_RERANKER_MODEL: model = '' } = v;
  if (kind === 'off' || url === undefined) return null;
  return {
    kind,
    url: withEnding(url, 'rerank'),
    model,
    key: v.MEM_RERANKER_KEY ?? null,
    top: v.MEM_RERANKER_TOP,
    timeout_ms: v.MEM_RERANKER_TIMEOUT_MS,
  };
}

export function readJudgingServer(v: JudgeVariables): JudgingServer | null {
  const { MEM_JUDGE_URL: url, MEM_JUDGE_MODEL: models } = v;
  if (url === undefined || models === undefined) return null;
  const { MEM_JUDGE_INPUT_PRICE: input_per_1m, MEM_JUDGE_OUTPUT_PRICE: output_per_1m } = v;
  const isPriced = input_per_1m !== undefined && output_per_1m !== undefined;
  return {
    url: withEnding(url, 'chat/completions'),
    models,
    key: v.MEM_JUDGE_KEY ?? null,
    timeout_ms: v.MEM_JUDGE_TIMEOUT_MS,
    price: isPriced ? { input_per_1m, output_per_1m } : null,
    calls_per_day: v.MEM_JUDGE_CALLS_PER_DAY,
    usd_per_day: v.MEM_JUDGE_USD_PER_DAY ?? null,
  };
}

/** An address may be given whole, up to its version, or as a host alone. */
function withEnding(address: string, ending: 'embeddings' | 'rerank' | 'chat/completions'): string {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith(`/${ending}`)) return address;
  const version = path === '' && ending !== 'rerank' ? '/v1' : path;
  url.pathname = `${version}/${ending}`;
  return url.href;
}

/** Variables that need others, or are set for nothing. */
export function modelProblems(env: Environment): string[] {
  const isOpenAi = env.MEM_EMBEDDER === 'openai';
  const hasReranker = Boolean(env.MEM_RERANKER) && env.MEM_RERANKER !== 'off';
  const hasJudge = Boolean(env.MEM_JUDGE_URL);
  const [inputPrice, outputPrice] = [env.MEM_JUDGE_INPUT_PRICE, env.MEM_JUDGE_OUTPUT_PRICE];
  return [
    ...missing(env, hasJudge, { because: 'MEM_JUDGE_URL is set', names: ['MEM_JUDGE_MODEL'] }),
    ...unused(env, !hasJudge, { prefix: 'MEM_JUDGE', otherwise: 'set MEM_JUDGE_URL' }),
    ...missing(env, Boolean(inputPrice), { because: 'MEM_JUDGE_INPUT_PRICE is', names: ['MEM_JUDGE_OUTPUT_PRICE'] }),
    ...missing(env, Boolean(outputPrice), { because: 'MEM_JUDGE_OUTPUT_PRICE is', names: ['MEM_JUDGE_INPUT_PRICE'] }),
    ...missing(env, isOpenAi, {
      because: 'MEM_EMBEDDER is openai',
      names: ['MEM_EMBEDDER_URL', 'MEM_EMBEDDER_MODEL'],
    }),
    ...missing(env, hasReranker, {
      because: `MEM_RERANKER is ${env.MEM_RERANKER}`,
      // TEI serves one model and takes no name.
      names: ['MEM_RERANKER_URL', ...(env.MEM_RERANKER === 'cohere' ? ['MEM_RERANKER_MODEL'] : [])],
    }),
    ...unused(env, !isOpenAi, { prefix: 'MEM_EMBEDDER', otherwise: 'set MEM_EMBEDDER to openai' }),
    ...unused(env, !hasReranker, { prefix: 'MEM_RERANKER', otherwise: 'set MEM_RERANKER to cohere or tei' }),
  ];
}

type UnusedVariables = { prefix: string; otherwise: string };

/** Those that say which model is meant; sizes and times may stay set while it is off. */
const unused = (env: Environment, isUnused: boolean, { prefix, otherwise }: UnusedVariables): string[] =>
  ['URL', 'MODEL', 'KEY']
    .map((ending) => `${prefix}_${ending}`)
    .filter((name) => isUnused && env[name])
    .map((name) => `${name} is set, but nothing would use it: ${otherwise}, or unset it`);

type NeededVariables = { because: string; names: readonly string[] };

const missing = (env: Environment, isNeeded: boolean, { because, names }: NeededVariables): string[] =>
  names.filter((name) => isNeeded && !env[name]).map((name) => `${name} must be set: ${because}`);
