import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Lines } from '../kernel/index.ts';

const CHUNK_CHARS = 64 * 1024;

/** Whoever takes nothing for this long is cut off: the store is held as it was for as long as it is read. */
const STALL_MS = 60_000;

/** Sends line after line, no faster than they are taken. What fails before the first is answered as a problem. */
export async function sendLines(reply: FastifyReply, lines: Lines): Promise<FastifyReply> {
  const first = await lines.next();
  reply.header('content-type', 'application/x-ndjson; charset=utf-8').header('cache-control', 'private, no-store');
  if (reply.request.method !== 'HEAD') return reply.send(Readable.from(chunksOf(first, lines, reply)));
  await lines.return();
  return reply.send();
}

async function* chunksOf(first: IteratorResult<string, void>, lines: Lines, { raw }: FastifyReply) {
  const stall = () => setTimeout(() => raw.destroy(), STALL_MS);
  let chunk = '';
  try {
    for (let next = first; !next.done; next = await lines.next()) {
      chunk += `${next.value}\n`;
      if (chunk.length < CHUNK_CHARS) continue;
      const timer = stall();
      yield chunk;
      clearTimeout(timer);
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  } finally {
    await lines.return();
  }
}
