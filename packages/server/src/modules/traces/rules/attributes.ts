import { type FieldError, isWithinChars } from '@mem-service/contract';

export type AttributeValue = string | number | boolean;
export type Attributes = Record<string, AttributeValue>;

export const MAX_ATTRIBUTES = 20;
export const MAX_ATTRIBUTE_KEY_CHARS = 64;
export const MAX_ATTRIBUTE_VALUE_CHARS = 256;
/** Of a key that is too long, an error shows the beginning. */
const MAX_SHOWN_CHARS = 128;

/** Set by the server; a caller's values under these names are dropped. */
const RESERVED: ReadonlySet<string> = new Set(['source', 'model', 'client', 'outcome_type', 'memory_branch']);
/** Set by clients and by the server: they do not count towards the caller's limit. */
const UNCOUNTED: ReadonlySet<string> = new Set(['canary_fix_id', 'canary_arm', ...RESERVED]);

/**
 * Merges several sets of attributes; later ones win. Nothing is truncated or dropped to make it fit: one invalid value
 * refuses all. The path of an error is the key as given, or empty for the attributes as a whole.
 */
export function mergeAttributes(
  bags: readonly Record<string, unknown>[],
): { attributes: Attributes } | { errors: FieldError[] } {
  const merged = new Map<string, AttributeValue>();
  const errors: FieldError[] = [];
  for (const [given, value] of bags.flatMap((bag) => Object.entries(bag))) {
    const key = normalKey(given);
    if (RESERVED.has(key)) continue;
    const message = keyProblem(key) ?? valueProblem(value);
    if (message === undefined) merged.set(key, value as AttributeValue);
    else errors.push({ path: given.slice(0, MAX_SHOWN_CHARS), message });
  }
  const counted = [...merged.keys()].filter((key) => !UNCOUNTED.has(key)).length;
  if (counted > MAX_ATTRIBUTES)
    errors.push({ path: '', message: `holds ${counted} keys, more than the ${MAX_ATTRIBUTES} that are kept` });
  return errors.length > 0 ? { errors } : { attributes: Object.fromEntries(merged) };
}

/** A key that is too long in any case is left as it is. */
export function normalKey(given: string): string {
  const key = given.trim();
  return key.length > 2 * MAX_ATTRIBUTE_KEY_CHARS ? key : key.toLowerCase();
}

function keyProblem(key: string): string | undefined {
  if (key === '') return 'must have a key';
  if (!isWithinChars(key, MAX_ATTRIBUTE_KEY_CHARS))
    return `has a key of more than ${MAX_ATTRIBUTE_KEY_CHARS} characters`;
  return isStorable(key) ? undefined : 'has a key that is not well-formed Unicode without NUL';
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return undefined;
  if (typeof value !== 'string') return 'must be text, a finite number or a boolean';
  if (!isWithinChars(value, MAX_ATTRIBUTE_VALUE_CHARS)) return `is longer than ${MAX_ATTRIBUTE_VALUE_CHARS} characters`;
  return isStorable(value) ? undefined : 'must be well-formed Unicode without NUL';
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Adds the server's own attributes, which override the caller's. They cannot be refused, so they are truncated; an empty
 * one is left out.
 */
export function stampAttributes(
  bag: Readonly<Attributes>,
  stamps: Readonly<Record<string, AttributeValue | null | undefined>>,
): Attributes {
  const given = Object.entries(stamps).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries([...Object.entries(bag), ...given.map(([key, value]) => [key, cutStamp(value)])]);
}

function cutStamp(value: AttributeValue | null | undefined): unknown {
  if (typeof value !== 'string') return value;
  // A character is at most two code units.
  return [...value.slice(0, 2 * MAX_ATTRIBUTE_VALUE_CHARS)].slice(0, MAX_ATTRIBUTE_VALUE_CHARS).join('');
}
