import type { PrimaryLink } from '../kernel/index.ts';

export const HANDED_OVER_PATH = '/api/v1/internal/handed-over';

const TIMEOUT_MS = 10_000;
/** A question may wait for its answer. */
const ASK_TIMEOUT_MS = 30_000;
/** After a failure nothing is sent for so long. */
const AWAY_MS = 1_000;
const MAX_RUNNING = 4;
/** One message: so many items, or so many characters. */
const MAX_ITEMS = 200;
const MAX_CHARS = 2 * 1024 * 1024;

type WaitingItem = { text: string; resolve: (result: never) => void; reject: (error: unknown) => void };
export type HandedResult = { result?: unknown; refused?: string };

type PrimaryLinkOptions = { url: string; internalKey: string; onWarning: (warning: string) => void };

/** Hands over to a server that writes, over HTTP, in messages of many items. */
export class HttpPrimaryLink implements PrimaryLink {
  readonly #options: PrimaryLinkOptions;
  readonly #queue: WaitingItem[] = [];
  readonly #over = new AbortController();
  #running = 0;
  #awayUntil = Number.NEGATIVE_INFINITY;
  #isAway = false;

  constructor(options: PrimaryLinkOptions) {
    this.#options = options;
  }

  hand<T>(kind: string, item: unknown): Promise<T> {
    if (performance.now() < this.#awayUntil) return Promise.reject(away(new Error('it was away a moment ago')));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ text: JSON.stringify({ kind, item }), resolve, reject });
      setImmediate(() => this.#send());
    });
  }

  async ask<T>(kind: string, item: unknown): Promise<T> {
    const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(ASK_TIMEOUT_MS)]);
    const [answer] = await this.#post([JSON.stringify({ kind, item })], signal);
    return resultOf(answer) as T;
  }

  async close(): Promise<void> {
    this.#over.abort();
  }

  #send(): void {
    while (this.#running < MAX_RUNNING && this.#queue.length > 0) {
      this.#running++;
      void this.#sendSome(this.#take()).finally(() => {
        this.#running--;
        this.#send();
      });
    }
  }

  #take(): WaitingItem[] {
    let chars = 0;
    let count = 0;
    for (const { text } of this.#queue) {
      chars += text.length;
      if (count === MAX_ITEMS || (count > 0 && chars > MAX_CHARS)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #sendSome(items: readonly WaitingItem[]): Promise<void> {
    try {
      const texts = items.map(({ text }) => text);
      const results = await this.#post(texts, AbortSignal.timeout(TIMEOUT_MS));
      this.#isAway = false;
      items.forEach(({ resolve, reject }, i) => {
        try {
          resolve(resultOf(results[i]) as never);
        } catch (error) {
          reject(error);
        }
      });
    } catch (error) {
      this.#awayUntil = performance.now() + AWAY_MS;
      if (!this.#isAway) this.#options.onWarning(`MEM_PRIMARY_URL: ${(error as PrimaryLinkError).why}; trying again`);
      this.#isAway = true;
      for (const { reject } of items) reject(error);
    }
  }

  async #post(texts: readonly string[], signal: AbortSignal): Promise<HandedResult[]> {
    const { url, internalKey } = this.#options;
    try {
      const response = await fetch(url + HANDED_OVER_PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-mem-internal-key': internalKey },
        body: `{"items":[${texts.join(',')}]}`,
        // Not followed: the key is for this server alone. With `error`, fetch loses the body, and the answer, on 421.
        redirect: 'manual',
        signal,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
      return (JSON.parse(text) as { results: HandedResult[] }).results;
    } catch (error) {
      throw away(error);
    }
  }
}

/** The other server could not be reached, or did not take something. */
class PrimaryLinkError extends Error {
  /** For the log. */
  readonly why: string;

  constructor(why: string, options?: ErrorOptions) {
    super(`the server that writes: ${why}`, options);
    this.why = why;
  }
}

const away = (error: unknown): PrimaryLinkError => {
  const { message, cause } = error as Error & { cause?: Error };
  return new PrimaryLinkError(cause?.message ?? message, { cause: error });
};

function resultOf(answer: HandedResult | undefined): unknown {
  if (answer?.refused === undefined) return answer?.result;
  throw new PrimaryLinkError(answer.refused);
}
