import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Kernel } from '../kernel/index.ts';

const LOOK_EVERY_MS = 100;
/** The first request on a new connection arrives within this time. */
const FIRST_WORD_MS = 500;

const LOOK_FOR_STALLED_MS = 500;

/** How long a connection has for its next request when a successor takes over. */
const LAST_REQUEST_MS = 5_000;

/** By server, its connections and when each was opened. */
const openConnections = new WeakMap<Server, Map<Socket, number>>();

type WatchedConnections = { kernel: Pick<Kernel, 'connectionAccepted'>; stallMs: number };

export function watchConnections(server: FastifyInstance, { kernel, stallMs }: WatchedConnections): void {
  closeIdleOnStop(server, kernel);
  disconnectStalled(server, stallMs);
}

/**
 * A stop waits for requests, not for connections. A connection whose request arrived before the stop stays open until
 * its answer. One without any request yet (browsers and other clients open some ahead) is not idle to Node, which would
 * wait for its first request.
 */
function closeIdleOnStop(server: FastifyInstance, kernel: Pick<Kernel, 'connectionAccepted'>): void {
  const opened = new Map<Socket, number>();
  openConnections.set(server.server, opened);
  server.server.on('connection', (socket: Socket) => {
    opened.set(socket, performance.now());
    kernel.connectionAccepted();
    socket.once('close', () => opened.delete(socket));
  });
  const leave = () => {
    server.server.closeIdleConnections();
    const since = performance.now() - FIRST_WORD_MS;
    for (const [socket, at] of opened) if (socket.bytesRead === 0 && at < since) socket.destroy();
  };
  server.addHook('preClose', async () => {
    const timer = setInterval(leave, LOOK_EVERY_MS);
    server.server.once('close', () => clearInterval(timer));
  });
}

/**
 * For a server whose successor is ready: every request is still answered, and each answer asks its client to open another
 * connection. A connection that were closed while it is idle could be just the one that a client sends a request on. Ends when
 * those that were open are closed, or have been idle for long.
 */
export async function drainConnections({ server }: FastifyInstance, hurry: AbortSignal): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const open = openConnections.get(server) ?? new Map();
  const left = new Set(open.keys());
  for (const socket of left) socket.once('close', () => left.delete(socket));
  const deadline = performance.now() + LAST_REQUEST_MS;
  while (left.size > 0 && performance.now() < deadline && !hurry.aborted)
    await sleep(LOOK_EVERY_MS, undefined, { signal: hurry }).catch(() => {});
}

/** What a client has taken of whole writes, what the current one still has, and since when both are the same. */
type WaitingBytes = { taken: number; left: number; since: number };

/** Libuv counts what the system has not taken yet. The counts that Node gives change only with whole writes. */
type CountedSocket = Socket & { _handle?: { writeQueueSize?: number } | null };

/** Disconnects a client that takes nothing of an answer that waits for it, on every route. */
function disconnectStalled(server: FastifyInstance, stallMs: number): void {
  const waiting = new Map<Socket, WaitingBytes | undefined>();
  const look = () => {
    const now = performance.now();
    for (const [socket, before] of waiting) {
      // Without bytes that wait, the service is still working, or the connection is idle.
      const bytes = socket.writableLength === 0 ? undefined : waitingBytes(socket, before, now);
      if (bytes && now - bytes.since >= stallMs) socket.destroy();
      else if (bytes !== before) waiting.set(socket, bytes);
    }
  };
  server.server.on('connection', (socket: Socket) => {
    waiting.set(socket, undefined);
    socket.once('close', () => waiting.delete(socket));
  });
  const timer = setInterval(look, Math.min(LOOK_FOR_STALLED_MS, stallMs / 10)).unref();
  server.server.once('close', () => clearInterval(timer));
}

/** The same object as long as nothing is taken. */
function waitingBytes(socket: CountedSocket, before: WaitingBytes | undefined, since: number): WaitingBytes {
  const taken = socket.bytesWritten - socket.writableLength;
  const left = socket._handle?.writeQueueSize ?? 0;
  return before?.taken === taken && before.left === left ? before : { taken, left, since };
}
