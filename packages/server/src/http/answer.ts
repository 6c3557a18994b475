import { JsonText, type Operation, stringify } from '@mem-service/contract';
import type { FastifyReply } from 'fastify';
import { type MadeAnswer, SMALL_ANSWER_BYTES } from './answers-in-flight.ts';
import { suffixes } from './routes.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends the output of an operation. A replayed answer arrives as text and is sent unchanged. Returns its size. */
export function answer(reply: FastifyReply, { http }: Operation, output: unknown): MadeAnswer<FastifyReply> {
  const plain = (output instanceof JsonText ? (output.about ?? output.value) : output) as never;
  // A shared cache does not distinguish keys and agents; a client's own cache may revalidate by ETag.
  reply.header('cache-control', 'private, no-cache');
  if (http.etag) {
    const etag = `"${http.etag(plain)}"`;
    reply.header('etag', etag);
    if (matches(reply.request.headers['if-none-match'], etag)) return { answer: reply.code(304).send(), bytes: 0 };
  }
  const status = typeof http.status === 'object' ? http.status.of(plain) : (http.status ?? 200);
  if (status === 201 && http.location) reply.header('location', fill(http.location, plain));
  const text = output instanceof JsonText ? output.text : stringify(output);
  // A long text is sent as bytes, which are outside the heap while the reader takes them.
  const body = text.length > SMALL_ANSWER_BYTES ? Buffer.from(text) : text;
  return { answer: reply.code(status).header('content-type', JSON_TYPE).send(body), bytes: body.length };
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function fill(template: string, output: Record<string, string>): string {
  const { entity_path = '', key = '' } = output;
  if (template.includes('{entity_path}') && suffixes.has(key))
    return `/api/v1/entry?entity_path=${encodeURIComponent(entity_path)}&key=${encodeURIComponent(key)}`;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parts = name === 'entity_path' ? entity_path.split('/') : [String(output[name])];
    return parts.map(encodeURIComponent).join('/');
  });
}
