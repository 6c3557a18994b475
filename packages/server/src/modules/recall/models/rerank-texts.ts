import type { RerankingServer } from '../../../kernel/index.ts';
import { ModelError } from './model-error.ts';
import { postJson } from './post-json.ts';
import { readRanking } from './rules/answers.ts';

const BASE_BYTES = 64 * 1_024;
/** What an answer may have for a text: some servers send the text back. */
const ECHO_FACTOR = 6;

/** How well each text answers a question, in their order; undefined for those that the server left out. */
export async function rerankTexts(
  { kind, url, key, model, timeout_ms }: RerankingServer,
  query: string,
  texts: readonly string[],
): Promise<(number | undefined)[]> {
  const body =
    kind === 'tei' ? { query, texts, truncate: true } : { model, query, documents: texts, top_n: texts.length };
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const maxBytes = BASE_BYTES + ECHO_FACTOR * chars;
  const read = readRanking(await postJson({ url, key, body, timeoutMs: timeout_ms, maxBytes }), texts.length);
  if (typeof read === 'string') throw new ModelError('bad_answer', read);
  return read;
}
