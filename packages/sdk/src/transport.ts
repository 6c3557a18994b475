import type { Route } from '@mem-service/contract/client';
import { errorFromResponse, invalidField, MemError, problemOf, unreachableError } from './error.ts';
import { addressOf } from './route.ts';
import { Servers } from './servers.ts';

export type ClientOptions = {
  /** The URL of the service, including a path prefix if a proxy adds one. */
  url: string | URL;
  /**
   * Read-only servers (MEM_READ_ONLY) of the same memory. Reads go to them in turn, and show at least what this client has
   * written and seen; what they cannot answer goes to `url`, as everything else does.
   */
  readUrls?: readonly (string | URL)[] | undefined;
  /** For an attempt at one of `readUrls`: longer than they wait for their database (MEM_REPLICA_WAIT_MS). */
  readerTimeoutMs?: number;
  /** A function is asked before each request, so that the key can change, as after signing in. */
  apiKey?: string | (() => string | undefined) | undefined;
  /** The key of the control plane, for operations across all accounts. */
  internalKey?: string | undefined;
  /** The agent and session of all calls; a single call may override them. */
  agentId?: string | undefined;
  sessionId?: string | undefined;
  /** The branch of all calls that name none. Without it that of the key, else of the agent, else `main`. */
  branch?: string | undefined;
  fetch?: typeof fetch;
  /** For each attempt. */
  timeoutMs?: number;
  /** The number of retries when the service is busy or unreachable. */
  retries?: number;
};

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Writes get a random one, so that a retry never writes twice. Set it to repeat a call safely later. */
  idempotencyKey?: string | undefined;
  agentId?: string | undefined;
  sessionId?: string | undefined;
  /** Overrides the client's timeout for each attempt, and its retries, for this call. */
  timeoutMs?: number | undefined;
  retries?: number | undefined;
};

/** Makes one call, with retries, and returns the JSON text of the answer. */
export type Send = (route: Route, input: Record<string, unknown>, options: CallOptions) => Promise<string>;

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** If the service asks for a longer wait, its error is thrown instead. */
const MAX_RETRY_AFTER_S = 30;
const RETRIED = new Set([0, 429, 502, 503, 504]);

/** A call that can be sent any number of times. */
export type PreparedCall = {
  base: string;
  /** `at`: another server than that of `base`. */
  request(signal: AbortSignal, more?: Record<string, string>, at?: string): Promise<Response>;
  /** Takes the position of an event, which begins with its `seq`: later reads show what it reports. */
  saw(position: string): void;
};

/** A client and its sessions know of each other's writes and reads. */
const SERVERS = Symbol('servers');
type SharedOptions = ClientOptions & { [SERVERS]?: Servers };

const newServers = ({ url, readUrls = [] }: ClientOptions): Servers => new Servers(baseOf(url), readUrls.map(baseOf));
const serversOf = (options: SharedOptions): Servers => options[SERVERS] ?? newServers(options);

/** The options with what a client and its sessions share. */
export const shared = (options: ClientOptions): ClientOptions =>
  ({ ...options, [SERVERS]: newServers(options) }) as SharedOptions;

const SEQ = /^\d{1,15}$/;

export function createPrepare(options: ClientOptions) {
  const servers = serversOf(options);
  const { main: base } = servers;
  const request = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  return (route: Route, input: Record<string, unknown>, call: CallOptions): PreparedCall => {
    const { method, path, body } = addressOf(route, input);
    const headers = headersOf(route, { ...options, ...defined(call) });
    if (body !== undefined) headers.set('content-type', 'application/json');
    const { effect, stream, lines } = route;
    if (effect === 'read' && !stream && !lines && servers.hasReaders) headers.set('x-mem-want-seq', 'true');
    return {
      base,
      saw(position) {
        const [seq = ''] = position.split('-');
        if (servers.hasReaders && SEQ.test(seq)) servers.learn(Number(seq), undefined);
      },
      async request(signal, more = {}, at = base) {
        const before = servers.seq;
        if (effect === 'read' && before !== undefined) headers.set('x-mem-min-seq', String(before));
        if (typeof options.apiKey === 'function' && effect !== 'control') setKey(headers, options.apiKey());
        for (const [name, text] of Object.entries(more)) headers.set(name, text);
        // With `error`, fetch of Node loses the body of a request that is answered with 421, and with it the answer.
        const init = { method, headers, signal, redirect: 'manual' as const, ...(body === undefined ? {} : { body }) };
        const response = await request(at + path, init);
        await refuseRedirect(response);
        const seq = response.headers.get('x-mem-seq') ?? '';
        if (SEQ.test(seq)) servers.learn(Number(seq), before);
        return response;
      },
    };
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** An API does not redirect. Following a redirect could send the key to another server or turn a write into a read. */
async function refuseRedirect({ type, status, headers, body }: Response): Promise<void> {
  if (type !== 'opaqueredirect' && !REDIRECTS.has(status)) return;
  await body?.cancel();
  const target = headers.get('location');
  throw new TypeError(`it redirects${target ? ` to ${target}` : ''}, and redirects are not followed`);
}

export function createSend(options: ClientOptions): Send {
  const prepare = createPrepare(options);
  const servers = serversOf(options);
  return async (route, input, call) => {
    const { retries = 3, timeoutMs = 30_000, readerTimeoutMs = 3_000 } = { ...options, ...defined(call) };
    const { base, request } = prepare(route, input, call);
    const once = (at = base, ms = timeoutMs) => {
      const signals = [call.signal, Number.isFinite(ms) ? AbortSignal.timeout(ms) : undefined];
      const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
      return attempt(() => request(signal, {}, at), at);
    };
    const reader = servers.readerFor(route);
    if (reader !== undefined) {
      const result = await once(reader.url, Math.min(timeoutMs, readerTimeoutMs));
      call.signal?.throwIfAborted();
      const isAnswer = typeof result === 'string' || !servers.canAnswer(result);
      reader.end(isAnswer ? 'answered' : 'failed');
      if (typeof result === 'string') return result;
      if (isAnswer) throw result;
    }
    for (let tries = 0; ; tries++) {
      call.signal?.throwIfAborted();
      const result = await once();
      if (typeof result === 'string') return result;
      call.signal?.throwIfAborted();
      const delayMs = retryDelayMs(result, tries);
      if (tries >= retries || delayMs === undefined) throw result;
      await sleep(delayMs, call.signal);
    }
  };
}

/** The end of an address that names a route of the service, not the service. */
const OWN_ROUTE = /\/(api\/v1|mcp)$/;

function baseOf(url: string | URL): string {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new TypeError(`url must be an http or https address`);
  if (parsed.username || parsed.password) throw new TypeError('url must not hold a user or password: use apiKey');
  const path = parsed.pathname.replace(/\/+$/, '');
  const [route] = OWN_ROUTE.exec(path) ?? [];
  if (route) throw new TypeError(`url must be given without ${route}: the client adds the routes itself`);
  return parsed.origin + path;
}

async function attempt(request: () => Promise<Response>, url: string): Promise<string | MemError> {
  let response: Response;
  let text: string;
  try {
    response = await request();
    text = await response.text();
  } catch (error) {
    return error instanceof MemError ? error : unreachableError(url, error);
  }
  if (!response.ok) return errorFromResponse(response, text);
  if (response.headers.get('content-type')?.includes('json')) return text;
  const detail = `${url} did not answer with JSON: is it the address of the memory service?`;
  return new MemError({ ...problemOf('internal', detail), status: response.status });
}

function headersOf({ effect }: Route, options: ClientOptions & CallOptions): Headers {
  const headers = new Headers({ accept: 'application/json' });
  const key = options.idempotencyKey ?? (effect === 'write' ? newKey() : undefined);
  if (effect === 'control') setHeader(headers, 'x-mem-internal-key', options.internalKey);
  else if (typeof options.apiKey === 'string') setKey(headers, options.apiKey);
  setHeader(headers, 'x-mem-agent-id', options.agentId);
  setHeader(headers, 'x-mem-session-id', options.sessionId);
  setHeader(headers, 'x-mem-branch', options.branch);
  setHeader(headers, 'idempotency-key', key);
  return headers;
}

function setKey(headers: Headers, apiKey: string | undefined): void {
  headers.delete('x-mem-api-key');
  setHeader(headers, 'x-mem-api-key', apiKey);
}

/** Header values are bytes: text is encoded as UTF-8. */
function setHeader(headers: Headers, name: string, text: string | undefined): void {
  if (text === undefined) return;
  try {
    headers.set(name, String.fromCharCode(...new TextEncoder().encode(text)));
  } catch {
    throw invalidField(`header ${name}`, 'must not hold control characters');
  }
}

/** `crypto.randomUUID` is missing in browsers on pages without TLS. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const defined = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;

/** The wait before the next attempt; undefined if a retry would not help. */
function retryDelayMs({ status, retryAfter }: MemError, tries: number): number | undefined {
  if (!RETRIED.has(status)) return undefined;
  const jittered = backOffMs(tries);
  if (retryAfter === undefined) return jittered;
  return retryAfter > MAX_RETRY_AFTER_S ? undefined : Math.max(retryAfter * 1000, jittered);
}

/** Exponential, with jitter. */
export function backOffMs(tries: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries) * (0.5 + Math.random() / 2);
}

export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits for work that cannot itself be aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
