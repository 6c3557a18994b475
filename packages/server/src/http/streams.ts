import type { ServerResponse } from 'node:http';
import { Fault } from '@mem-service/contract';
import type { FastifyReply } from 'fastify';
import type { Subscription } from '../kernel/index.ts';
import { EventStream } from './stream.ts';

export type StreamServerOptions = {
  heartbeatMs: number;
  /** A reader that has more than this before it is cut off. */
  maxWaitingBytes: number;
  /** A reader that takes nothing of what waits for it for this long is cut off. */
  stallMs: number;
};

const OPTIONS: StreamServerOptions = { heartbeatMs: 15_000, maxWaitingBytes: 1024 * 1024, stallMs: 30_000 };

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-cache, no-transform',
  // Proxies would hold events back to send them together.
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** The streams that a server has open. */
export class OpenStreams {
  readonly #options: StreamServerOptions;
  readonly #open = new Set<EventStream>();
  #heart: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: StreamServerOptions = OPTIONS) {
    this.#options = options;
  }

  /** Answers with the stream, or with its headers alone. */
  send(reply: FastifyReply, subscription: Subscription): FastifyReply {
    const { raw, request } = reply;
    // Who has left by now, or asks for the headers alone, is told nothing.
    const isRead = request.method !== 'HEAD' && !raw.destroyed && !this.#closed;
    if (!isRead) subscription.close();
    if (this.#closed) throw new Fault('unavailable', 'the service is stopping', { retry_after: 1 });
    reply.hijack();
    // The end of the connection is the end of the stream. Chunks would cost as much again for each event and reader.
    raw.removeHeader('transfer-encoding');
    raw.writeHead(200, { ...reply.getHeaders(), ...HEADERS } as Record<string, string>);
    if (isRead) this.#start(raw, subscription);
    else raw.end();
    return reply;
  }

  /** A client goes on elsewhere, or here after a restart: nobody is waited for. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.end();
  }

  #start(raw: ServerResponse, subscription: Subscription): void {
    const stream = new EventStream(raw, subscription, this.#options);
    this.#open.add(stream);
    this.#heart ??= setInterval(() => this.#beat(), this.#options.heartbeatMs);
    raw.once('close', () => {
      subscription.close();
      this.#open.delete(stream);
      if (this.#open.size > 0) return;
      clearInterval(this.#heart);
      this.#heart = undefined;
    });
    stream.start();
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
  }
}
