import type { EmbeddingServer } from '../../../kernel/index.ts';
import { ModelError } from './model-error.ts';
import { postJson } from './post-json.ts';
import { type EmbeddingsAnswer, readEmbeddings } from './rules/answers.ts';
import { prefixesOf } from './rules/prefixes.ts';

/** Longer vectors are not stored. */
const MAX_DIMENSIONS = 4_096;
/** A number as JSON, with its comma, and what surrounds the numbers of a text. */
const NUMBER_BYTES = 32;
const TEXT_BYTES = 4_096;
const BASE_BYTES = 64 * 1_024;
/** Servers bound what they take at once. */
const MAX_REQUEST_CHARS = 200_000;
/** An index is made in the background. */
const INDEX_TIMEOUT_MS = 60_000;
/** Any server that takes texts takes this one. */
const PLAIN_TEXT = 'hello';

export async function embedQuestion(server: EmbeddingServer, text: string): Promise<EmbeddingsAnswer> {
  const { question } = prefixesOf(server.model);
  return request(server, [`${question}${text}`], server.timeout_ms);
}

/** The vectors of texts in their order; null for those that the server refuses. */
export async function embedTexts(server: EmbeddingServer, texts: readonly string[]): Promise<EmbeddingsAnswer> {
  const { text: prefix } = prefixesOf(server.model);
  const prefixed = texts.map((text) => `${prefix}${text}`);
  const timeoutMs = Math.max(INDEX_TIMEOUT_MS, server.timeout_ms);
  const all: EmbeddingsAnswer = { vectors: [], tokens: 0 };
  for (const group of groupsOf(prefixed, server.batch)) {
    const { vectors, tokens } = await requestOrSplit(server, group, timeoutMs);
    all.vectors.push(...vectors);
    all.tokens += tokens;
  }
  const lengths = new Set(all.vectors.flatMap((vector) => vector?.length ?? []));
  if (lengths.size > 1) throw new ModelError('bad_answer', 'its vectors have different lengths');
  return all;
}

function groupsOf(texts: readonly string[], most: number): string[][] {
  const groups: string[][] = [];
  let chars = 0;
  for (const text of texts) {
    const current = groups.at(-1);
    chars += text.length;
    if (current !== undefined && current.length < most && chars <= MAX_REQUEST_CHARS) current.push(text);
    else {
      groups.push([text]);
      chars = text.length;
    }
  }
  return groups;
}

/** Where a server refuses some texts, the others are embedded all the same. */
async function requestOrSplit(
  server: EmbeddingServer,
  texts: readonly string[],
  timeoutMs: number,
): Promise<EmbeddingsAnswer> {
  try {
    return await request(server, texts, timeoutMs);
  } catch (error) {
    if (!(error instanceof ModelError) || error.facts.isAboutTexts !== true) throw error;
    // It may refuse everything, as where the model has another name: then no text is to blame.
    await request(server, [PLAIN_TEXT], timeoutMs);
    return splitUp(server, texts, timeoutMs);
  }
}

async function splitUp(server: EmbeddingServer, texts: readonly string[], timeoutMs: number) {
  const sum: EmbeddingsAnswer = { vectors: [], tokens: 0 };
  if (texts.length === 1) return { vectors: [null], tokens: 0 };
  const middle = Math.ceil(texts.length / 2);
  for (const half of [texts.slice(0, middle), texts.slice(middle)]) {
    const { vectors, tokens } = await request(server, half, timeoutMs).catch((error) => {
      if (error instanceof ModelError && error.facts.isAboutTexts === true) return splitUp(server, half, timeoutMs);
      throw error;
    });
    sum.vectors.push(...vectors);
    sum.tokens += tokens;
  }
  return sum;
}

async function request(
  { url, key, model, dimensions }: EmbeddingServer,
  texts: readonly string[],
  timeoutMs: number,
): Promise<EmbeddingsAnswer> {
  const maxBytes = BASE_BYTES + texts.length * (TEXT_BYTES + MAX_DIMENSIONS * NUMBER_BYTES);
  const answer = await postJson({ url, key, timeoutMs, maxBytes, body: { model, input: texts } });
  const read = readEmbeddings(answer, { count: texts.length, cut: dimensions, most: MAX_DIMENSIONS });
  if (typeof read === 'string') throw new ModelError('bad_answer', read);
  return read;
}
