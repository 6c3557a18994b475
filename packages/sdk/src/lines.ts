import type { Route } from '@mem-service/contract/client';
import { errorFromResponse, MemError, problemOf, unreachableError } from './error.ts';
import {
  backOffMs,
  type CallOptions,
  type ClientOptions,
  createPrepare,
  type PreparedCall,
  sleep,
} from './transport.ts';

export type LinesOptions = Omit<CallOptions, 'idempotencyKey'>;

/** Yields the lines of one answer, unparsed. */
export type LinesText = (
  route: Route,
  input: Record<string, unknown>,
  options: LinesOptions,
) => AsyncGenerator<string, void, undefined>;

/** Retries until the answer has begun. An answer that breaks off fails, because it cannot be resumed. */
export function createLines(options: ClientOptions): LinesText {
  const prepare = createPrepare(options);
  const { retries = 3 } = options;
  return async function* lines(route, input, { signal, ...call }) {
    const prepared = prepare(route, input, call);
    const over = new AbortController();
    const end = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
    try {
      yield* split(await begin(prepared, end, retries), prepared.base);
    } finally {
      over.abort();
    }
  };
}

async function begin(
  prepared: PreparedCall,
  signal: AbortSignal,
  retries: number,
): Promise<ReadableStream<Uint8Array>> {
  for (let tries = 0; ; tries++) {
    try {
      return await open(prepared, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failed = error instanceof MemError ? error : unreachableError(prepared.base, error);
      if (tries >= retries || ![0, 429, 502, 503, 504].includes(failed.status)) throw failed;
      await sleep(backOffMs(tries), signal);
    }
  }
}

async function open({ base, request }: PreparedCall, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await request(signal, { accept: 'application/x-ndjson, application/json' });
  if (!response.ok) throw errorFromResponse(response, await response.text());
  if (response.body && response.headers.get('content-type')?.startsWith('application/x-ndjson')) return response.body;
  const detail = `${base} did not answer with lines: is it the address of the memory service?`;
  throw new MemError({ ...problemOf('internal', detail), status: response.status });
}

async function* split(body: ReadableStream<Uint8Array>, base: string): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw unreachableError(base, error);
    });
    if (done) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw unreachableError(base, new Error('the answer broke off'));
}
