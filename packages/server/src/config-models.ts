import * as z from 'zod';
import type { Environment } from './config.ts';
import { webAddress } from './config-addresses.ts';
import type { EmbeddingServer, RerankingServer, Settings } from './kernel/settings.ts';

export const modelAddress = webAddress.refine(
  (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
  'must have no user or password in it: the key has a variable of its own',
);
export const modelName = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 visible characters');
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

/** An address may be given whole, up to its version, or as a host alone. */
function withEnding(address: string, ending: 'embeddings' | 'rerank'): string {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith(`/${ending}`)) return address;
  const version = path === '' && ending === 'embeddings' ? '/v1' : path;
  url.pathname = `${version}/${ending}`;
  return url.href;
}

/** Variables that need others, or are set for nothing. */
export function modelProblems(env: Environment): string[] {
  const isOpenAi = env.MEM_EMBEDDER === 'openai';
  const hasReranker = Boolean(env.MEM_RERANKER) && env.MEM_RERANKER !== 'off';
  return [
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
