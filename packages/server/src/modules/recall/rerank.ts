import type { ReadContext } from '../../kernel/index.ts';
import { findDocuments } from '../entries/index.ts';
import type { RetrieveAnswer } from './handlers.ts';
import type { MeaningSearch } from './meaning.ts';
import { modelClientOf } from './models/model-client.ts';
import { choosePassages } from './passages.ts';
import type { RankedEntry, Reranking } from './rank.ts';
import type { WeightedTerm } from './rules/best-passage.ts';
import { rerankedFits } from './rules/rerank.ts';
import { fitOf } from './rules/trust.ts';

/** Rerankers look at about so many characters of a text. */
const MAX_CHARS = 2_000;

export type RerankOptions = {
  query: string;
  hits: readonly RankedEntry[];
  terms: readonly WeightedTerm[];
  meaning: MeaningSearch | undefined;
  maxMs: number;
};

export type Reranked = { moves?: Reranking; reranker?: RetrieveAnswer['reranker'] };

/**
 * Asks the reranker for the order of the best entries. It sees nothing but the question and passages that the caller may
 * see. Without an answer in time the order stays.
 */
export async function rerankBest(context: ReadContext, options: RerankOptions): Promise<Reranked> {
  const { reranking_server: server } = context.services.settings;
  if (server === null || options.hits.length === 0) return {};
  const best = options.hits.slice(0, server.top);
  const texts = await textsOf(context, best, options);
  const timeout_ms = Math.max(1, Math.min(server.timeout_ms, Math.floor(options.maxMs)));
  const asked = modelClientOf(context.services).rerank({ ...server, timeout_ms }, options.query, texts);
  const outcome = await asked;
  const model = server.model || server.kind;
  if ('failure' in outcome) return { reranker: { model, reordered: 0, failure: outcome.failure.reason } };
  const fits = rerankedFits(
    best.map(({ breakdown }) => fitOf(breakdown)),
    outcome.answer,
  );
  const moves = new Map(best.map(({ row, breakdown }, at) => [row.seq, (fits[at] as number) - fitOf(breakdown)]));
  return { moves, reranker: { model, reordered: best.length, failure: null } };
}

async function textsOf(
  { scan, view }: ReadContext,
  best: readonly RankedEntry[],
  { terms, meaning }: RerankOptions,
): Promise<string[]> {
  const long = best.flatMap(({ row }) => (row.document === null ? [row] : []));
  const loaded = new Map((await findDocuments(scan, view.account_id, long)).map((text, at) => [long[at], text]));
  const documents = best.map(({ row }) => row.document ?? loaded.get(row) ?? EMPTY);
  const passages = await choosePassages(documents, { terms, meaning });
  return documents.map((document, at) => {
    const { entity_path, key } = JSON.parse(document) as { entity_path: string; key: string };
    return `${entity_path} ${key}\n${passages[at]}`.slice(0, MAX_CHARS);
  });
}

/** Of an entry that was erased meanwhile. */
const EMPTY = JSON.stringify({ entity_path: '', key: '', value: '' });
