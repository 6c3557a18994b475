import { createHash } from 'node:crypto';
import { utf8Length } from '@mem-service/contract';
import { entryName } from '../kernel/entry-name.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: names must not hold them
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;

const tidy = (text: string) => text.toWellFormed().normalize('NFC').replace(CONTROL, ' ').trim();

/** A few digits that stand for a text. */
export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** A name that is too long ends in a hash, so that names with the same beginning stay distinct. */
function cut(text: string, max: { chars: number; bytes: number }): string {
  if ([...text].length <= max.chars && utf8Length(text) <= max.bytes) return text;
  let kept = [...text].slice(0, max.chars - 9).join('');
  while (utf8Length(kept) > max.bytes - 9) kept = [...kept].slice(0, -1).join('');
  return `${kept}-${digestOf(text)}`;
}

/** Converts any text to the key of an entry. */
export function toKey(text: string): string {
  const key = tidy(text);
  return cut(key === '' || key === '.' || key === '..' ? `unnamed${key}` : key, { chars: 256, bytes: 768 });
}

/** Converts any text to one segment of a path. */
function toSegment(text: string): string {
  const segment = tidy(text).replace(/[/*]+/g, '-');
  return cut(segment === '' || segment === '.' || segment === '..' ? 'unnamed' : segment, { chars: 64, bytes: 192 });
}

const MAX_DEPTH = 7;

/** A path below `into`, which is a valid path. */
export function toPath(into: string, ...parts: readonly string[]): string {
  const deep =
    parts.length > MAX_DEPTH ? [...parts.slice(0, MAX_DEPTH - 1), parts.slice(MAX_DEPTH - 1).join('-')] : parts;
  return [into, ...deep.map(toSegment)].join('/');
}

/** Converts any text to the name of an agent, a session or a pattern. */
export function toLabel(text: string, fallback: string): string {
  const label = tidy(text);
  return cut(label === '' ? fallback : label, { chars: 200, bytes: 256 });
}

export const toRelation = (text: string): string =>
  cut(tidy(text).replaceAll(',', ' ') || 'related_to', { chars: 64, bytes: 64 });

/** The name of an entry's node in the graph. */
export const nodeOf = ({ entity_path, key }: { entity_path: string; key: string }): string =>
  entryName(entity_path, key);

/** Converts a name that is not an entry here to a node of the graph. */
export const toEntity = (text: string): string => cut(tidy(text) || 'unnamed', { chars: 300, bytes: 900 });
