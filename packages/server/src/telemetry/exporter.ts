import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodeMessage, exportRequest, type JsonObject } from '../otlp/index.ts';
import type { TelemetrySettings } from './settings.ts';

const MAX_WAITING = 2048;
const MAX_BATCH = 512;
const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** How long the end of the process waits for the remaining spans. */
const LAST_MS = 3_000;
const WARN_EVERY_MS = 60_000;

/** Statuses that ask for a later retry. */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const pack = promisify<Buffer | string, Buffer>(gzip);

type WarnDropped = (about: { why: string; dropped: number }) => void;

/** Sends spans in batches in the background. Spans that cannot be sent are dropped and counted. */
export class SpanExporter {
  readonly #settings: TelemetrySettings;
  readonly #warn: WarnDropped;
  readonly #stop = new AbortController();
  #waiting: JsonObject[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: TelemetrySettings, warn: WarnDropped) {
    this.#settings = settings;
    this.#warn = warn;
  }

  add(span: JsonObject): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length === MAX_BATCH) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), this.#settings.delayMs).unref();
  }

  /** Sends the remaining spans, once. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const stop = setTimeout(() => this.#stop.abort(), LAST_MS);
    this.#send();
    while (this.#sending !== undefined) await this.#sending;
    clearTimeout(stop);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0 && !this.#stop.signal.aborted) this.#send();
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const why = await this.#deliver(batch);
      if (why !== undefined) this.#warnDropped(why, batch.length);
    }
  }

  /** Returns why it failed, or undefined. */
  async #deliver(batch: JsonObject[]): Promise<string | undefined> {
    let why: string | undefined;
    for (let attempt = 0; attempt < MAX_TRIES && !this.#stop.signal.aborted; attempt++) {
      const { failure, pauseMs } = await this.#post(batch);
      if (failure === undefined) return undefined;
      why = failure;
      if (pauseMs === null) return why;
      const pause = Math.min(pauseMs || FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
      if (attempt < MAX_TRIES - 1)
        await sleep(pause, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
    return why ?? 'the service stops';
  }

  /** `pauseMs`: null when a retry is useless, 0 when the response names no delay. */
  async #post(batch: JsonObject[]): Promise<{ failure?: string; pauseMs: number | null }> {
    const { url, headers, timeoutMs } = this.#settings;
    try {
      const { body, about } = await this.#bodyOf(batch);
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]);
      const response = await fetch(url, { method: 'POST', headers: { ...headers, ...about }, body, signal });
      await response.arrayBuffer();
      if (response.ok) return { pauseMs: null };
      const failure = `it answers ${response.status}`;
      const wait = Number(response.headers.get('retry-after') ?? 0);
      return { failure, pauseMs: LATER.has(response.status) ? wait * 1000 || 0 : null };
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { code?: string } };
      return { failure: cause?.code ?? message, pauseMs: 0 };
    }
  }

  async #bodyOf(spans: JsonObject[]): Promise<{ body: Buffer | string; about: Record<string, string> }> {
    const { protocol, compression, resource } = this.#settings;
    const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const request = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'mem' }, spans }] }] };
    const isJson = protocol === 'http/json';
    const plain = isJson ? JSON.stringify(request) : encodeMessage(exportRequest, request);
    const type = { 'content-type': isJson ? 'application/json' : 'application/x-protobuf' };
    if (compression === 'none') return { body: plain, about: type };
    return { body: await pack(plain), about: { ...type, 'content-encoding': 'gzip' } };
  }

  /** Warns about an unreachable collector from time to time, not with every batch. */
  #warnDropped(why: string, count: number): void {
    this.#dropped += count;
    const now = performance.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    this.#warn({ why, dropped: this.#dropped });
    this.#dropped = 0;
  }
}
