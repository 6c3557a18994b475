import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const LOOK_EVERY_MS = 100;
/** What was sent on a new connection arrives within this. */
const FIRST_WORD_MS = 500;

/**
 * A stop waits for requests, not for connections. One whose request came before the stop stays open after its answer. One
 * on which nothing was said yet (browsers and other clients open some ahead) is not idle to Node, which would wait for
 * its first request.
 */
export function closeIdleOnStop(server: FastifyInstance): void {
  const opened = new Map<Socket, number>();
  server.server.on('connection', (socket: Socket) => {
    opened.set(socket, performance.now());
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
