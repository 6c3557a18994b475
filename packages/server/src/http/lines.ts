import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Lines } from '../kernel/index.ts';

const CHUNK_CHARS = 64 * 1024;

/** A client that takes nothing for this long is disconnected: the snapshot stays open while it reads. */
const STALL_MS = 60_000;

/** Sends lines no faster than the client takes them. A failure before the first line is answered as a problem. */
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
