import {
  attachRawOf,
  Fault,
  invalidInput,
  type JsonObject,
  MAX_EVENTS,
  operations,
  type ParsedText,
} from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel/index.ts';
import { pause } from '../turns.ts';
import type { AnswerRoom } from './answers-in-flight.ts';
import type { KeyCheck } from './auth.ts';
import { parseBody } from './body.ts';
import { attributesIn, mapCloudEvent, modeOf, readData } from './cloud-events.ts';
import { queryReader } from './coerce.ts';
import { callRunner } from './operations.ts';

export type EventOptions = { requireKey: KeyCheck; agentId: string; room: AnswerRoom };

const ONE = 'events.send';
const MANY = 'events.send_batch';

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;
const TYPES_TAKEN =
  'send application/json, or CloudEvents as application/cloudevents+json, as application/cloudevents-batch+json, or with ' +
  'their attributes in ce- headers';

/** Events of any sender: one, `{"events": […]}`, or CloudEvents in any of their forms, all at one address. */
export function addEvents(server: FastifyInstance, kernel: Kernel, options: EventOptions): void {
  const { method, path } = operations[ONE].http;
  const runners = { [ONE]: callRunner(kernel, ONE, options), [MANY]: callRunner(kernel, MANY, options) };
  server.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { name, input } = await readEvents(request);
      request.operation = name;
      return runners[name](reply, () => input);
    };
    scope.route({ method, url: path, onRequest: options.requireKey, handler });
    done();
  });
}

type EventCall = { name: typeof ONE | typeof MANY; input: JsonObject };

async function readEvents(request: FastifyRequest): Promise<EventCall> {
  const { headers } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new Fault('unsupported_media_type', `send the body as it is, not in ${encoding}`);
  const mode = modeOf(headers);
  if (mode === 'binary') {
    const data = await readData(body, type);
    return { name: ONE, input: await mapCloudEvent({ ...attributesIn(headers), data }) };
  }
  if (!JSON_TYPE.test(type) || (mode === undefined && /^application\/cloudevents/i.test(type)))
    throw new Fault('unsupported_media_type', TYPES_TAKEN);
  if (body.length === 0) throw new Fault('invalid_json', 'the body is empty');
  const read = await parseBody(body);
  await pause();
  if (mode === 'structured') return { name: ONE, input: await structuredEvent(read) };
  return mode === 'batch' ? { name: MANY, input: await eventBatch(read) } : ownForm(read, request.raw.url ?? '');
}

const DATA = [['data']] as const;
const EACH_DATA = [['*', 'data']] as const;

async function structuredEvent(read: ParsedText): Promise<JsonObject> {
  attachRawOf(read, DATA);
  return mapCloudEvent(read.parsed);
}

/** Each event is refused by itself: one that cannot be mapped is passed on as its refusal. */
async function eventBatch(read: ParsedText): Promise<JsonObject> {
  if (!Array.isArray(read.parsed)) throw invalidInput([{ path: '', message: 'must be a JSON array of CloudEvents' }]);
  if (read.parsed.length > MAX_EVENTS)
    throw invalidInput([{ path: '', message: `must not have more than ${MAX_EVENTS} events` }]);
  attachRawOf(read, EACH_DATA);
  const events: unknown[] = [];
  for (const one of read.parsed) {
    await pause();
    events.push(await mapCloudEvent(one).catch((error) => refusalOf(error)));
  }
  return { events };
}

function refusalOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw error;
}

/** They say what they are, but came as plain JSON. */
function refuseCloudEvents(parsed: unknown): void {
  const isCloudEvent = (one: unknown) => typeof one === 'object' && one !== null && Object.hasOwn(one, 'specversion');
  const [path, type] =
    Array.isArray(parsed) && isCloudEvent(parsed[0])
      ? ['0.specversion', 'application/cloudevents-batch+json']
      : ['specversion', 'application/cloudevents+json'];
  if (path === 'specversion' && !isCloudEvent(parsed)) return;
  throw invalidInput([{ path, message: `is of a CloudEvent: send it with Content-Type: ${type}` }]);
}

function ownForm(read: ParsedText, url: string): EventCall {
  const { parsed } = read;
  refuseCloudEvents(parsed);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalidInput([{ path: '', message: 'must be a JSON object' }]);
  const name = Array.isArray((parsed as JsonObject).events) ? MANY : ONE;
  attachRawOf(read, operations[name].raw ?? []);
  const input = parsed as JsonObject;
  if (url.includes('?')) queryReader(name)(url, input);
  return { name, input };
}
