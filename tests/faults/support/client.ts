import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { onTestFinished } from 'vitest';

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; json: AnyJson };
// biome-ignore lint/suspicious/noExplicitAny: what the service answers is what the tests look at
type AnyJson = any;

export type HttpCallOptions = { body?: unknown; headers?: Record<string, string>; timeoutMs?: number };

/** A plain HTTP client that keeps its connections. A broken connection is an error, everything else an answer. */
export class HttpClient {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, sockets = 64) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
    onTestFinished(() => this.#agent.destroy());
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.call('POST', path, { body });
  }

  write(entity_path: string, key: string, value: unknown): Promise<Reply> {
    return this.post('/api/v1/entries', { entity_path, key, value });
  }

  call(method: string, path: string, { body, headers, timeoutMs = 60_000 }: HttpCallOptions = {}): Promise<Reply> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.#url),
        { method, agent: this.#agent, headers: { ...sent, ...headers } },
        (incoming) => {
          let received = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk) => {
            received += chunk;
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            const isJson = /[/+]json/.test(incoming.headers['content-type'] ?? '') && received !== '';
            try {
              const json = isJson ? JSON.parse(received) : undefined;
              resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: received, json });
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }
}

/** Numbers of the metrics page by name. */
export async function metricsOf(client: HttpClient): Promise<Record<string, number>> {
  const { text } = await client.get('/metrics');
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^(\w+) (\S+)$/.exec(line) ?? [];
    return name ? [[name, Number(value)]] : [];
  });
  return Object.fromEntries(lines);
}
