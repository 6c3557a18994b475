import { isUtf8 } from 'node:buffer';
import { Fault, invalidInput } from '@mem-service/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keepText } from '../payload-text.ts';
import { parseBody } from './body.ts';

const tooLarge = (maxBytes: number): Fault =>
  new Fault('body_too_large', `the body has more than the ${maxBytes} bytes that the connector accepts`, {
    max_payload_bytes: maxBytes,
  });

/** Keeps the bytes as they arrive, whatever their type, and stops at the limit. */
export function takeBytes(scope: FastifyInstance, limitOf: (request: FastifyRequest) => number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, stream, done) => {
    const maxBytes = limitOf(request);
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return done(tooLarge(maxBytes));
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (error: Error | null) => {
      stream.off('data', take).off('end', whole).off('error', end).off('close', cut);
      done(error, error ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes));
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) end(tooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const whole = () => end(null);
    const cut = () => end(new Fault('invalid_request', 'the body ended early'));
    stream.on('data', take).on('end', whole).on('error', end).on('close', cut);
  });
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;
/** Forms of senders have some twenty. */
const MAX_FIELDS = 1000;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Reads the payload of a delivery: JSON, or a form, whose field `payload` is JSON if there is one. */
export async function readPayload({ headers }: Pick<FastifyRequest, 'headers'>, body: Buffer): Promise<unknown> {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new Fault('unsupported_media_type', `send the body as it is, not in ${encoding}`);
  if (JSON_TYPE.test(type)) return payloadIn(body);
  if (FORM_TYPE.test(type)) return formIn(body);
  const sent = type === '' ? 'without a Content-Type' : `as ${type}`;
  throw new Fault(
    'unsupported_media_type',
    `the delivery came ${sent}: send application/json or application/x-www-form-urlencoded`,
  );
}

async function payloadIn(bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) throw new Fault('invalid_json', 'the body is empty');
  const { parsed, text } = await parseBody(bytes);
  if (typeof parsed === 'object' && parsed !== null) {
    keepText(parsed, text);
    return parsed;
  }
  throw invalidInput([{ path: '', message: 'must be a JSON object or array' }]);
}

async function formIn(bytes: Buffer): Promise<unknown> {
  if (!isUtf8(bytes)) throw new Fault('invalid_request', 'the form is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw invalidInput([{ path: '', message: `the form has more than ${MAX_FIELDS} fields` }]);
  const fields = new URLSearchParams(text);
  const payload = fields.get('payload');
  if (payload !== null) return payloadIn(Buffer.from(payload));
  if (fields.size > 0) return Object.fromEntries(fields);
  throw invalidInput([{ path: '', message: 'the form has no fields' }]);
}
