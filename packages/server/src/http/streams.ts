import type { ServerResponse } from 'node:http';
import { Fault } from '@mem-service/contract';
import type { FastifyReply } from 'fastify';
import type { Subscription } from '../kernel/index.ts';
import { EventStream } from './stream.ts';

export type StreamServerOptions = {
  heartbeatMs: number;
  /** A reader with more unread bytes than this is disconnected. */
  maxWaitingBytes: number;
  /** A reader that takes none of its waiting bytes for this long is disconnected. */
  stallMs: number;
};

const OPTIONS: StreamServerOptions = { heartbeatMs: 15_000, maxWaitingBytes: 1024 * 1024, stallMs: 30_000 };

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-cache, no-transform',
  // Proxies would otherwise buffer events.
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** The open streams of a server. */
export class OpenStreams {
  readonly #options: StreamServerOptions;
  readonly #open = new Set<EventStream>();
  #heart: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: StreamServerOptions = OPTIONS) {
    this.#options = options;
  }

  /** Sends the stream, or only its headers for HEAD. */
  send(reply: FastifyReply, subscription: Subscription): FastifyReply {
    const { raw, request } = reply;
    // Send no events when the client has left or asked only for the headers.
    const isRead = request.method !== 'HEAD' && !raw.destroyed && !this.#closed;
    if (!isRead) subscription.close();
    if (this.#closed) throw new Fault('unavailable', 'the service is stopping', { retry_after: 1 });
    reply.hijack();
    // The end of the connection ends the stream. Chunked encoding would double the cost per event and reader.
    raw.removeHeader('transfer-encoding');
    raw.writeHead(200, { ...reply.getHeaders(), ...HEADERS } as Record<string, string>);
    if (isRead) this.#start(raw, subscription);
    else raw.end();
    return reply;
  }

  /** Clients reconnect elsewhere, or here after a restart, so streams are ended at once. */
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
