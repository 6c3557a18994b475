import { findSecrets } from '../../traces/rules/redact-find.ts';
import { type SecretFamily, secretFamily } from '../../traces/rules/redact-names.ts';
import { secretPatterns } from '../../traces/rules/redact-patterns.ts';
import { HintFinder } from './secret-hints.ts';
import { type Codes, MARGIN } from './secret-names.ts';

/** What is searched for hints, in one value and in all values of an operation. */
const MAX_SEARCHED_CHARS = 1024 * 1024;
const MAX_SEARCHED_IN_ALL = 2 * MAX_SEARCHED_CHARS;
/** What is scanned around a hint. */
const CHARS_BEFORE = 300;
const CHARS_AFTER = 1200;
/** What is scanned in one value, and in all values of an operation. */
const MAX_SCANNED_CHARS = 64 * 1024;
const MAX_SCANNED_IN_ALL = 2 * MAX_SCANNED_CHARS;
const MAX_NAMED_CHARS = 300;

/** The characters that an operation may still look at: many large values in one call must not hold up other requests. */
export type ScanBudget = { searched: number; scanned: number };

export const newScanBudget = (): ScanBudget => ({ searched: MAX_SEARCHED_IN_ALL, scanned: MAX_SCANNED_IN_ALL });

export type SecretsInEntry = { part: 'key' | 'value'; kinds: string[] };

/**
 * The kinds of secrets that the value or the key of an entry seems to hold, of the first passage that has any. The detector
 * of traces takes 0.07 µs a character, far too much for every write; so a cheap pass finds where a secret may be, and only
 * that is scanned.
 */
export function secretsInEntry(key: string, value: string, budget: ScanBudget): SecretsInEntry | undefined {
  const named = scan(namedText(key, value), budget);
  const inValue = named.length > 0 ? named : secretsIn(value, budget);
  if (inValue.length > 0) return { part: 'value', kinds: inValue };
  const inKey = secretsIn(key, budget);
  return inKey.length > 0 ? { part: 'key', kinds: inKey } : undefined;
}

/** The same for all writes of an operation, with a yield after each. */
export function* secretsInSteps(
  writes: readonly { key: string; value: { text: string } }[],
): Generator<void, (SecretsInEntry | undefined)[]> {
  const budget = newScanBudget();
  const found: (SecretsInEntry | undefined)[] = [];
  for (const { key, value } of writes) {
    found.push(secretsInEntry(key, value.text, budget));
    yield;
  }
  return found;
}

/** Whether there may be a secret anywhere in a text: the cheap pass alone. */
export const mayHoldSecret = (text: string): boolean =>
  new HintFinder(codesOf(text, text.length), text.length).next(0) !== undefined;

function secretsIn(text: string, budget: ScanBudget): string[] {
  const length = Math.min(text.length, MAX_SEARCHED_CHARS, budget.searched);
  budget.searched -= length;
  const hints = new HintFinder(codesOf(text, length), length);
  const least = budget.scanned - MAX_SCANNED_CHARS;
  let from = 0;
  while (budget.scanned > Math.max(0, least)) {
    const hint = hints.next(from);
    if (hint === undefined) return [];
    const kinds = scan(text.slice(Math.max(0, hint - CHARS_BEFORE), hint + CHARS_AFTER), budget);
    if (kinds.length > 0) return kinds;
    // The next passage overlaps: a secret may lie across the end of this one.
    from = hint + CHARS_AFTER - CHARS_BEFORE;
  }
  return [];
}

/** Most values fit; these are used within one call only. */
const SHORT_CHARS = 8 * 1024;
const SHORT_PAIRS = new Uint16Array(SHORT_CHARS);
const SHORT_CODES = new Uint8Array(SHORT_CHARS + 2 * MARGIN);
const SHORT_TEXT = SHORT_CODES.subarray(MARGIN, MARGIN + SHORT_CHARS);
const encoder = new TextEncoder();

/** Reading a string by position is slow where it is a part of another, as the values of a body are. */
function codesOf(text: string, length: number): Codes {
  const isShort = length <= SHORT_CHARS;
  // ASCII alone has as many bytes as characters: most texts need no second pass.
  if (isShort && text.length === length && encoder.encodeInto(text, SHORT_TEXT).written === length) {
    SHORT_CODES.fill(0, MARGIN + length, 2 * MARGIN + length);
    return SHORT_CODES;
  }
  const pairs = isShort ? SHORT_PAIRS : new Uint16Array(length);
  Buffer.from(pairs.buffer).write(text, 0, length * 2, 'utf16le');
  const codes = isShort ? SHORT_CODES : new Uint8Array(length + 2 * MARGIN);
  for (let i = 0; i < length; i++) codes[MARGIN + i] = Math.min(pairs[i] as number, 128);
  codes.fill(0, MARGIN + length, 2 * MARGIN + length);
  return codes;
}

const HELD_BY_FIELD = /^\s*\{\s*"(?:value|text|content)"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}\s*$/;

/** A text under a key such as `db-password` is what a setting of that name would hold. */
function namedText(key: string, value: string): string {
  if (value.length > MAX_NAMED_CHARS) return '';
  const family = secretFamily(key);
  const held = family === null ? undefined : value.startsWith('"') ? value : HELD_BY_FIELD.exec(value)?.[1];
  return held === undefined ? '' : asSetting(key, family, held.slice(1, -1));
}

/** Of several words only those of a setting are taken for a password: `password: see vault` is a sentence. */
function asSetting(key: string, family: SecretFamily | null, text: string): string {
  if (!/\s/.test(text)) return `${key}=${text}`;
  return `${family === 'password' ? 'THE_PASSWORD' : key}: ${text}`;
}

function scan(text: string, budget: ScanBudget): string[] {
  if (text === '' || budget.scanned <= 0) return [];
  budget.scanned -= text.length;
  return [...new Set(findSecrets(text).map(({ rank }) => secretPatterns[rank]?.kind as string))];
}
