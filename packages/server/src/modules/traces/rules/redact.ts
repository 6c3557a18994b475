import { JsonText } from '@mem-service/contract';
import { type FoundSecret, findSecrets, findSecretsInSteps } from './redact-find.ts';
import { secretFamily } from './redact-names.ts';
import { secretPatterns } from './redact-patterns.ts';

const MARKER = /\[REDACTED:[a-z_]+\]/;
const ONE_MARKER = /^\[REDACTED:[a-z_]+\]$/;

const markerOf = (kind: string): string => `[REDACTED:${kind}]`;

const MARKERS = secretPatterns.map(({ kind }) => markerOf(kind));

/** A longer text is truncated to this many characters. */
export const MAX_REDACT_CHARS = 200_000;
/** How far the scan looks past the cut, to recognise a secret that lies across it. */
const LOOK_AHEAD_CHARS = 4096;
/**
 * A marker changes the text beside it, so a text is scanned until nothing changes. One more round finds nothing new, except
 * in texts crafted for it.
 */
const MAX_ROUNDS = 6;
const MAX_DEPTH = 128;

/** Most names in JSON match this, and no secret does. */
const SHORT_WORD = /^[\w.-]{0,12}$/;

/** Replaces every secret in the text with `[REDACTED:<kind>]`. Redacting it again changes nothing. */
export function redactText(text: string): string {
  if (SHORT_WORD.test(text)) return text;
  const known = prepared?.get(text);
  if (known !== undefined) return known;
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const seen = seenOf(current);
    const next = cutText(replaceSecrets(seen, findSecrets(seen)), MAX_REDACT_CHARS);
    if (next === current) return current;
    current = next;
  }
  return markerOf('text');
}

/** The same, with a yield after each step of a few milliseconds. */
function* redactTextInSteps(text: string): Generator<void, string> {
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const seen = seenOf(current);
    const next = cutText(replaceSecrets(seen, yield* findSecretsInSteps(seen)), MAX_REDACT_CHARS);
    if (next === current) return current;
    current = next;
  }
  return markerOf('text');
}

/** Texts that were redacted before, by the text as it was given. */
export type Redactions = ReadonlyMap<string, string>;

let prepared: Redactions | undefined;

/** Runs what redacts, and takes from the redactions what is in them. */
export function withRedactions<T>(redactions: Redactions | undefined, run: () => T): T {
  const outer = prepared;
  prepared = redactions;
  try {
    return run();
  } finally {
    prepared = outer;
  }
}

/** Up to this many characters are redacted in one step. */
const STEP_CHARS = 16 * 1024;

/** Redacts every text within a value, names included, with a yield after each step of a few milliseconds. */
export function* redactionsInSteps(
  value: unknown,
  found: Map<string, string> = new Map(),
): Generator<void, Redactions> {
  yield* collectRedactions(value, found, 0);
  return found;
}

function* collectRedactions(value: unknown, found: Map<string, string>, depth: number): Generator<void, void> {
  if (typeof value === 'string') {
    if (SHORT_WORD.test(value) || found.has(value)) return;
    found.set(value, value.length > STEP_CHARS ? yield* redactTextInSteps(value) : redactText(value));
    yield;
  } else if (value instanceof JsonText) yield* collectRedactions(value.value, found, depth);
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH + MAX_ROUNDS)
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) yield* collectRedactions(name, found, depth);
      if (typeof member === 'string' || typeof member === 'object') yield* collectRedactions(member, found, depth + 1);
    }
}

const seenOf = (text: string): string =>
  text.length > MAX_REDACT_CHARS ? text.slice(0, MAX_REDACT_CHARS + LOOK_AHEAD_CHARS) : text;

function replaceSecrets(seen: string, secrets: readonly FoundSecret[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, rank } of secrets) {
    if (start >= MAX_REDACT_CHARS) break;
    parts.push(seen.slice(from, start), MARKERS[rank] as string);
    from = end;
  }
  if (from === 0) return cutText(seen, MAX_REDACT_CHARS);
  parts.push(seen.slice(from, Math.max(from, MAX_REDACT_CHARS)));
  return parts.join('');
}

const HALF_PAIR = /[\ud800-\udbff]$/;
const OPEN_MARKER = /\[(?:R(?:E(?:D(?:A(?:C(?:T(?:E(?:D(?::[a-z_]*)?)?)?)?)?)?)?)?)?$/;

/** At most that many characters, without splitting a marker or a character at the end. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars).replace(HALF_PAIR, '');
  const open = OPEN_MARKER.exec(cut.slice(-64));
  if (open === null) return cut;
  const start = cut.length - open[0].length;
  return MARKER.exec(text.slice(start, start + 64))?.index === 0 ? cut.slice(0, start) : cut;
}

/** Redacts every string in the value, and everything under a name such as `password`. */
export function redactJson(value: unknown): unknown {
  return redactValue(value, 0);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonText) return redactValue(value.value, depth);
  if (depth >= MAX_DEPTH) return markerOf('too_deep');
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  const members = new Map<string, unknown>();
  const repeats = new Map<string, number>();
  for (const [name, member] of Object.entries(value)) {
    members.set(freeName(redactText(name), members, repeats), redactMember(name, member, depth + 1));
  }
  return Object.fromEntries(members);
}

/** Two names that hold different secrets must not become one member. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>, repeats: Map<string, number>): string {
  if (!taken.has(name)) return name;
  let n = repeats.get(name) ?? 2;
  while (taken.has(`${name} ${n}`)) n++;
  repeats.set(name, n + 1);
  return `${name} ${n}`;
}

function redactMember(name: string, value: unknown, depth: number): unknown {
  const family = name.toLowerCase() === 'pass' ? 'password' : secretFamily(name);
  if (family === null) return redactValue(value, depth);
  if (value instanceof JsonText) return redactMember(name, value.value, depth);
  if (typeof value === 'string') return redactWhole(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.map(redactWhole);
  const isPin = family === 'password' && typeof value === 'number' && Math.abs(value) >= 1000;
  return isPin ? markerOf('assignment') : redactValue(value, depth);
}

function redactWhole(value: string): string {
  if (value === '') return value;
  const redacted = redactText(value);
  return ONE_MARKER.test(redacted) ? redacted : markerOf('assignment');
}
