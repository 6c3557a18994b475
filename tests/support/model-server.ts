import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ModelRequest = {
  path: string;
  authorization: string | undefined;
  body: { model?: string; input?: string[]; query?: string; documents?: string[]; texts?: string[]; top_n?: number };
};

/** Answers a request itself, instead of the server; false where it leaves it to the server. */
export type Misbehaviour = (request: ModelRequest, response: ServerResponse) => boolean | Promise<boolean>;

export type ModelServer = {
  url: string;
  /** Everything that was asked so far. */
  requests: ModelRequest[];
  /** What it does wrong, until it is undefined again. */
  misbehaves: Misbehaviour | undefined;
  close(): Promise<void>;
};

const DIMENSIONS = 96;

/** Words that mean the same to the model. */
const SAME: Readonly<Record<string, string>> = {
  zahnarzt: 'dentist',
  tandlæge: 'dentist',
  fahrrad: 'bicycle',
  bike: 'bicycle',
};

/** A server of models on loopback that speaks the protocols of OpenAI and Cohere. Its vectors are sums over words. */
export async function startModelServer(port = 0): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const served: ModelServer = { url: '', requests, misbehaves: undefined, close: async () => {} };
  const server: Server = createServer(async (message, response) => {
    const request = await readRequest(message);
    requests.push(request);
    if (await served.misbehaves?.(request, response)) return;
    answer(response, { status: 200, body: request.path.endsWith('/rerank') ? rank(request) : embed(request) });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  served.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return served;
}

async function readRequest(message: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return {
    path: message.url ?? '',
    authorization: message.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
  };
}

/** A misbehaviour: the same answer to everything. */
export const always =
  (status: number, body: unknown, headers: object = {}): Misbehaviour =>
  (_, response) =>
    answer(response, { status, body, headers });

type FixedAnswer = { status: number; body: unknown; headers?: object };

export function answer(response: ServerResponse, { status, body, headers = {} }: FixedAnswer): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return true;
}

const embed = ({ body: { input = [], model = '' } }: ModelRequest) => ({
  object: 'list',
  model,
  // In no order, as the protocol allows.
  data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, model) })).reverse(),
  usage: { prompt_tokens: input.length, total_tokens: input.length },
});

/** The shorter a text, the better: an order that no other part of a score has. */
function rank({ body: { documents, texts, top_n } }: ModelRequest) {
  const given = documents ?? texts ?? [];
  const results = given
    .map((text, index) => ({ index, relevance_score: 1 / (1 + text.length) }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  if (texts) return results.map(({ index, relevance_score }) => ({ index, score: relevance_score }));
  return { results: results.slice(0, top_n) };
}

export function vectorOf(text: string, model: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0.05);
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    let state = hashOf(`${model} ${SAME[word] ?? word}`);
    for (let at = 0; at < DIMENSIONS; at++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at;
      vector[at] = (vector[at] as number) + ((state >>> 16) & 0xff) / 255 - 0.5;
    }
  }
  return vector;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193);
  return hash;
}
