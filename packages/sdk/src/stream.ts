import { faultCodes, type Route } from '@mem-service/contract/client';
import { errorFromResponse, errorFromText, MemError, problemOf, unreachableError } from './error.ts';
import { createParser, type SseMessage } from './sse.ts';
import {
  backOffMs,
  type CallOptions,
  type ClientOptions,
  createPrepare,
  defined,
  type PreparedCall,
  sleep,
} from './transport.ts';

export type StreamOptions = Omit<CallOptions, 'idempotencyKey'> & {
  /** Reconnects if nothing arrives for this long, not even a heartbeat. */
  idleMs?: number;
  /** Called each time it is connected. */
  onOpen?: () => void;
  /** Called with the reason before each wait to connect again. */
  onRetry?: (error: MemError) => void;
};

/** Yields the JSON text of each event, reconnecting as often as needed. */
export type StreamText = (
  route: Route,
  input: Record<string, unknown>,
  options: StreamOptions,
) => AsyncGenerator<string, void, undefined>;

/** The service sends a heartbeat every 15 seconds. */
const IDLE_MS = 45_000;
const MAX_RETRY_AFTER_S = 30;
/** The last event of a stream that the service ended for a reason: it is called by its code, and its data is the problem. */
function reasonIn({ event, data }: SseMessage): MemError | undefined {
  if (event === undefined || data === undefined || !Object.hasOwn(faultCodes, event)) return undefined;
  const error = errorFromText(data);
  // `entry_quarantined` is an event of the log too.
  return error.code === event ? error : undefined;
}

/**
 * The first connection fails as any call does. After it, the stream reconnects after every failure and resumes where it
 * was. It ends when the service refuses it or the caller aborts it.
 */
export function createStream(options: ClientOptions): StreamText {
  const prepare = createPrepare(options);
  return async function* follow(route, input, { idleMs = IDLE_MS, signal, onOpen, onRetry, ...call }) {
    const { retries = 3, timeoutMs = 30_000 } = { ...options, ...defined(call) };
    const prepared = prepare(route, input, call);
    let lastId: string | undefined;
    let connected = false;
    for (let tries = 0; !signal?.aborted; tries++) {
      let count = 0;
      let leastMs = 0;
      try {
        for await (const message of messages(prepared, { signal, lastId, timeoutMs, idleMs })) {
          const { id, data } = message;
          // The first message only gives the start of the stream: a connection that brings no more does not reset the
          // back-off.
          if (count === 0) onOpen?.();
          if (count++ > 0) tries = 0;
          connected = true;
          lastId = id ?? lastId;
          if (id !== undefined) prepared.saw(id);
          const reason = reasonIn(message);
          if (reason) throw reason;
          if (data !== undefined) yield data;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!mayPass(error) || (!connected && tries >= retries)) throw error;
        leastMs = Math.min(error.retryAfter ?? 0, MAX_RETRY_AFTER_S) * 1000;
        onRetry?.(error);
      }
      if (!signal?.aborted) await sleep(Math.max(leastMs, backOffMs(tries)), signal).catch(() => {});
    }
  };
}

function mayPass(error: unknown): error is MemError {
  return error instanceof MemError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

type ConnectOptions = {
  signal: AbortSignal | undefined;
  lastId: string | undefined;
  timeoutMs: number;
  idleMs: number;
};

/** The messages of one connection. */
async function* messages(
  prepared: PreparedCall,
  { signal, lastId, timeoutMs, idleMs }: ConnectOptions,
): AsyncGenerator<SseMessage> {
  const over = new AbortController();
  const end = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
  const within = async <T>(ms: number, waiting: () => Promise<T>): Promise<T> => {
    const giveUp = () => over.abort(new Error(`nothing arrived for ${ms} ms`));
    const timer = Number.isFinite(ms) ? setTimeout(giveUp, ms) : undefined;
    try {
      return await waiting();
    } catch (error) {
      throw error instanceof MemError ? error : unreachableError(prepared.base, error);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const body = await within(timeoutMs, () => open(prepared, end, lastId));
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parse = createParser();
    for (;;) {
      const { done, value } = await within(idleMs, () => reader.read());
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    over.abort();
  }
}

async function open({ base, request }: PreparedCall, signal: AbortSignal, lastId: string | undefined) {
  const resume: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
  const response = await request(signal, { accept: 'text/event-stream', ...resume });
  if (!response.ok) throw errorFromResponse(response, await response.text());
  if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) return response.body;
  const detail = `${base} did not answer with events: is it the address of the memory service?`;
  throw new MemError({ ...problemOf('internal', detail), status: response.status });
}
