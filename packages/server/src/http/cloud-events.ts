import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type FieldError, invalidInput, type JsonObject, JsonText, shapes } from '@mem-service/contract';
import { parseBody } from './body.ts';

/** How a request carries CloudEvents; undefined where it carries none. */
export type CloudEventMode = 'structured' | 'batch' | 'binary';

export function modeOf(headers: IncomingHttpHeaders): CloudEventMode | undefined {
  const { 'content-type': type = '' } = headers;
  if (/^application\/cloudevents\+json\s*(;|$)/i.test(type)) return 'structured';
  if (/^application\/cloudevents-batch\+json\s*(;|$)/i.test(type)) return 'batch';
  return headers['ce-specversion'] === undefined ? undefined : 'binary';
}

/** An event as `events.send` takes it. */
export type MappedEvent = {
  source: string;
  entity_path: string;
  key: string;
  value: unknown;
  event_type: string;
  id: string;
  occurred_at?: string;
};

/** Maps a CloudEvent 1.0, with `data` as it is to be stored. */
export async function mapCloudEvent(event: unknown): Promise<MappedEvent> {
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw invalidInput([{ path: '', message: 'must be a CloudEvent: a JSON object' }]);
  const attributes = event as JsonObject;
  const problems = attributeProblems(attributes);
  if (problems.length > 0) throw invalidInput(problems);
  const { id, source, type, time } = attributes as { id: string; source: string; type: string; time?: string };
  const sender = legalSource(source);
  return {
    source: sender,
    ...placeOf(attributes.subject as string | undefined, { source: sender, type }),
    value: await dataOf(attributes),
    event_type: type,
    // Two sources may have one name, and each counts its own events.
    id: sender === source ? id : `${id}@${sourceHash(source)}`,
    ...(typeof time === 'string' ? { occurred_at: time.toUpperCase() } : {}),
  };
}

function attributeProblems(attributes: JsonObject): FieldError[] {
  const { specversion } = attributes;
  if (specversion !== '1.0')
    return [{ path: 'specversion', message: `must be "1.0", the version of CloudEvents that is accepted` }];
  const missing = ['id', 'source', 'type'].flatMap((path) =>
    typeof attributes[path] === 'string' && attributes[path] !== ''
      ? []
      : [{ path, message: 'is required, and must be a text that is not empty' }],
  );
  const { source } = attributes;
  if (typeof source === 'string' && source.length > MAX_URI_CHARS)
    return [{ path: 'source', message: `must not be longer than ${MAX_URI_CHARS} characters` }];
  const wrong = ['subject', 'time', 'datacontenttype', 'data_base64'].flatMap((path) =>
    isAbsent(attributes[path]) || typeof attributes[path] === 'string' ? [] : [{ path, message: 'must be a text' }],
  );
  const both = !isAbsent(attributes.data_base64) && attributes.data !== undefined;
  return [...missing, ...wrong, ...(both ? [{ path: 'data_base64', message: 'is given beside data: send one' }] : [])];
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const MAX_URI_CHARS = 2048;
const MAX_SOURCE_CHARS = 128;
const SOURCE_HASH_CHARS = 16;

const sourceHash = (uri: string): string =>
  createHash('sha256').update(JSON.stringify(uri)).digest('hex').slice(0, SOURCE_HASH_CHARS);

/** The source is a URI reference. Its scheme, empty and dot segments are left out, and a long one ends in a hash. */
export function legalSource(uri: string): string {
  const name = uri
    .toWellFormed()
    .replace(/^https?:\/\//i, '')
    .split('/')
    .map((part) => part.replace(/[\p{Cc}*]/gu, '').trim())
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  if (name === '') return 'cloudevents';
  if (name.length <= MAX_SOURCE_CHARS && Buffer.byteLength(name) <= MAX_SOURCE_CHARS) return name;
  return `${cutBytes(name, MAX_SOURCE_CHARS - SOURCE_HASH_CHARS - 1)}-${sourceHash(uri)}`;
}

function cutBytes(text: string, bytes: number): string {
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > bytes) break;
    cut += character;
  }
  return cut.replace(/[/\s]+$/, '');
}

/**
 * A subject `a/b/c` is the entry `c` at the path `a/b`; one without a slash is an entry at the path of the source, and
 * without a subject the type names it.
 */
function placeOf(subject: string | undefined, { source, type }: { source: string; type: string }) {
  const given = subject?.replace(/^\/+|\/+$/g, '') || undefined;
  const slash = given?.lastIndexOf('/') ?? -1;
  const place =
    given !== undefined && slash > 0
      ? { entity_path: given.slice(0, slash), key: given.slice(slash + 1) }
      : { entity_path: source, key: given ?? type };
  for (const [field, shape] of [
    ['entity_path', shapes.entityPath],
    ['key', shapes.key],
  ] as const) {
    const { error } = shape.safeParse(place[field]);
    const path = given === undefined ? (field === 'key' ? 'type' : 'source') : 'subject';
    if (error) throw invalidInput([{ path, message: `${error.issues[0]?.message}, as ${field} of an entry` }]);
  }
  return place;
}

async function dataOf({ data, data_base64, datacontenttype }: JsonObject): Promise<unknown> {
  if (typeof data_base64 !== 'string') return data ?? null;
  const bytes = Buffer.from(data_base64, 'base64');
  if (bytes.toString('base64') !== data_base64)
    throw invalidInput([{ path: 'data_base64', message: 'is not Base64 with its padding and nothing else' }]);
  return readData(bytes, typeof datacontenttype === 'string' ? datacontenttype : '');
}

/** The data of an event by its type: JSON as it is, text as a text, and other bytes in Base64. */
export async function readData(bytes: Buffer, type: string): Promise<unknown> {
  if (bytes.length === 0) return null;
  const isJson = /^[\w.+-]+\/([\w.-]+\+)?json\s*(;|$)/i.test(type);
  if (isJson) return jsonIn(bytes);
  if (/^text\//i.test(type) && isUtf8(bytes)) return bytes.toString('utf8');
  return { content_type: type || 'application/octet-stream', data_base64: bytes.toString('base64') };
}

/** As its exact text. */
async function jsonIn(bytes: Buffer): Promise<JsonText> {
  const { text, parsed, depth } = await parseBody(bytes);
  const json = new JsonText(text.trim()).knowing(parsed);
  json.depth = depth;
  return json;
}

const ATTRIBUTES = ['specversion', 'id', 'source', 'type', 'subject', 'time'] as const;

/** The attributes of an event in binary mode, which are in headers; its data is the body. */
export function attributesIn(headers: IncomingHttpHeaders): JsonObject {
  return Object.fromEntries(
    ATTRIBUTES.flatMap((name) => {
      const text = headers[`ce-${name}`];
      return typeof text === 'string' ? [[name, headerText(text, `header ce-${name}`)]] : [];
    }),
  );
}

/** Quotes are taken off, and percent-encoded UTF-8 is decoded, as the HTTP binding of CloudEvents says. */
function headerText(text: string, path: string): string {
  const quoted = /^"(.*)"$/s.exec(text)?.[1];
  const plain = quoted === undefined ? text : quoted.replace(/\\(.)/gs, '$1');
  try {
    return decodeURIComponent(plain.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw invalidInput([{ path, message: 'is not valid percent-encoded UTF-8' }]);
  }
}
