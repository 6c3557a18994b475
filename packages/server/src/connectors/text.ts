import { createHash } from 'node:crypto';
import { isoOfMs } from '../iso-time.ts';

/** How much of a long text an entry keeps. */
export const BODY_CHARACTERS = 4000;
/** How much of a text is kept that is one of many: a comment, the message of a commit. */
export const ITEM_CHARACTERS = 400;
export const TITLE_CHARACTERS = 300;

/** The beginning of a text, with `…` where it was cut. Never half of a surrogate pair, and no NUL, which PostgreSQL refuses. */
export function cutText(text: string, max: number = BODY_CHARACTERS): string {
  if (text.length <= max) return storable(text);
  const end = isHighSurrogate(text.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return `${storable(text.slice(0, end).trimEnd())}…`;
}

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', ' ');

/** A text on one line, cut. */
export const oneLine = (text: string, max: number = TITLE_CHARACTERS): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  cutText(text.slice(0, 2 * max).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' '), max).trim();

/** The first line of a text that says anything, cut. */
export function firstLine(text: string, max: number = TITLE_CHARACTERS): string {
  const start = text.slice(0, 10 * max).trimStart();
  const end = start.search(/[\r\n]/);
  return cutText(end < 0 ? start : start.slice(0, end).trimEnd(), max);
}

const MAX_SEGMENT = 100;
const MAX_KEY = 200;

/** A name as a segment of a path: without slashes, stars and control characters, and not too long. */
export function pathSegment(name: string, otherwise = 'unknown'): string {
  const plain = plainName(name)
    .replace(/[/*\\\s]+/g, '-')
    .replace(/^\.{1,2}$/, '');
  return plain === '' ? otherwise : cutName(plain, MAX_SEGMENT);
}

/** A key. The name may hold slashes, as the names of branches do. */
export const keyOf = (kind: string, name: string): string => cutName(`${kind}-${plainName(name)}`, MAX_KEY);

/** Longer than any name that a sender means: the rest is hashed and not looked at, and from some point on not even hashed. */
const LONGEST_NAME = 1000;
const HASHED_CHARACTERS = 16_000;

function plainName(name: string): string {
  const text = name.length > LONGEST_NAME ? cutName(name, LONGEST_NAME) : name;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names must not hold them
  const plain = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
  return plain.normalize('NFC').trim();
}

/** Two long names that begin alike stay different: what is cut off leaves a hash. */
function cutName(name: string, max: number): string {
  if (name.length <= max) return name;
  const hash = createHash('sha256')
    .update(`${name.length} ${name.slice(0, HASHED_CHARACTERS)}`)
    .digest('hex')
    .slice(0, 12);
  return `${name.slice(0, max - 13).toWellFormed()}~${hash}`;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?\s?(Z|UTC|[+-]\d\d:?\d\d)?$/;
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A time as ISO 8601 in UTC with milliseconds. One without an offset is taken for UTC. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const parts = ISO_TIME.exec(value);
  if (!parts) return undefined;
  const offset = parts[3] === undefined || parts[3] === 'UTC' ? 'Z' : parts[3].replace(/^(...)(\d\d)$/, '$1:$2');
  const local = value.slice(0, value.length - (parts[3]?.length ?? 0)).trimEnd();
  return timeOfMs(Date.parse(`${local.replace(' ', 'T')}${offset}`));
}

export function timeOfMs(ms: unknown): string | undefined {
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= LAST_MS)) return undefined;
  return isoOfMs(ms);
}

/** Seconds since 1970, also with a fraction and also as text: `1531420618.000200`. */
export function timeOfSeconds(seconds: unknown): string | undefined {
  const isText = typeof seconds === 'string' && /^\d{1,12}(\.\d{1,9})?$/.test(seconds);
  const amount = isText ? Number(seconds) : seconds;
  return typeof amount === 'number' ? timeOfMs(Math.round(amount * 1000)) : undefined;
}

/** The last of some times in the form of `timeOf`. */
export function latest(...times: readonly (string | undefined)[]): string | undefined {
  let last: string | undefined;
  for (const time of times) if (time !== undefined && (last === undefined || time > last)) last = time;
  return last;
}
