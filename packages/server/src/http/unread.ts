import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ANYBODY } from './auth.ts';

/** How much of a refused body is still read, and for how long. */
export type UnreadLimits = { maxBytes: number; maxMs: number };

export const UNREAD_LIMITS: UnreadLimits = { maxBytes: 256 * 1024 * 1024, maxMs: 20_000 };
/** Who has no valid key costs little: enough for what clients send by mistake. */
const UNKNOWN_CALLER: UnreadLimits = { maxBytes: 4 * 1024 * 1024, maxMs: 2000 };

declare module 'fastify' {
  interface FastifyInstance {
    unreadLimits: UnreadLimits;
  }
}

/** Refused for its key: 401, or 429 after many wrong ones. */
const hasNoKey = ({ statusCode, request }: FastifyReply): boolean =>
  statusCode === 401 || (statusCode === 429 && request.identity === ANYBODY);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Many clients send their whole request before they read anything. If the connection were closed on the rest of a body,
 * they would get a broken pipe instead of the answer. So the answer is sent at once and whole, but ends only when the
 * body has arrived, which is read and dropped, within limits.
 */
export function bodyAfterRequest(reply: FastifyReply, answer: Buffer): Buffer | Readable {
  const { raw } = reply.request;
  if (raw.complete || raw.destroyed || !hasBody(raw)) return answer;
  reply.header('content-length', String(answer.length));
  const isUnknown = hasNoKey(reply);
  if (isUnknown) reply.header('connection', 'close');
  return Readable.from(answerThenDrop(answer, raw, isUnknown ? UNKNOWN_CALLER : reply.server.unreadLimits));
}

async function* answerThenDrop(answer: Buffer, raw: IncomingMessage, limits: UnreadLimits) {
  yield answer;
  await dropBody(raw, limits);
}

function dropBody(raw: IncomingMessage, { maxBytes, maxMs }: UnreadLimits): Promise<void> {
  if (raw.complete || raw.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const giveUp = () => raw.socket.destroy();
    const timer = setTimeout(giveUp, maxMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) giveUp();
    });
    raw.once('end', done).once('close', done).once('error', done);
    raw.resume();
  });
}
