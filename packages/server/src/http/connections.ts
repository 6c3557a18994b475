import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Kernel } from '../kernel/index.ts';

const LOOK_EVERY_MS = 100;
/** The first request on a new connection arrives within this time. */
const FIRST_WORD_MS = 500;

type ConnectionTimeouts = { stallMs: number; keepAliveMs: number };
type WatchedConnections = { kernel: Pick<Kernel, 'connectionAccepted'>; timeouts: ConnectionTimeouts };

export function watchConnections(server: FastifyInstance, { kernel, timeouts }: WatchedConnections): void {
  closeIdleOnStop(server, kernel);
  disconnectStalled(server, timeouts);
}

/**
 * A stop waits for requests, not for connections. A connection whose request arrived before the stop stays open until
 * its answer. One without any request yet (browsers and other clients open some ahead) is not idle to Node, which would
 * wait for its first request.
 */
function closeIdleOnStop(server: FastifyInstance, kernel: Pick<Kernel, 'connectionAccepted'>): void {
  const opened = new Map<Socket, number>();
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
 * Disconnects a client that takes nothing of an answer that waits for it, on every route. The timeout of a connection is
 * extended by each byte that goes through it, also while one large answer is taken.
 */
function disconnectStalled(server: FastifyInstance, timeouts: ConnectionTimeouts): void {
  const { keepAliveMs } = timeouts;
  const stallMs = timeouts.stallMs === keepAliveMs ? keepAliveMs + 1 : timeouts.stallMs;
  server.server.setTimeout(stallMs, (socket: Socket) => {
    // Another timeout is that of an idle connection. Without bytes that wait, the service is still working.
    if (socket.timeout !== stallMs || socket.writableLength > 0) socket.destroy();
  });
}
