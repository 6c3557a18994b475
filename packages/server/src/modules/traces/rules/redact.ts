import { type FoundSecret, findSecrets, findSecretsInSteps } from './redact-find.ts';
import { secretPatterns } from './redact-patterns.ts';

const MARKER = /\[REDACTED:[a-z_]+\]/;

export const markerOf = (kind: string): string => `[REDACTED:${kind}]`;

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

/** Most names in JSON match this, and no secret does. */
const SHORT_WORD = /^[\w.-]{0,12}$/;

/** Replaces every secret in the text with `[REDACTED:<kind>]`. Redacting it again changes nothing. */
export function redactText(text: string): string {
  if (SHORT_WORD.test(text)) return text;
  const known = prepared?.texts.get(text);
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

/** A value without its secrets, and how deep it is nested. */
export type RedactedValue = { value: unknown; height: number };

/** What was redacted before: texts by the text as it was given, and values by the object that was given. */
export type Redactions = {
  texts: ReadonlyMap<string, string>;
  values: ReadonlyMap<object, RedactedValue>;
};

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

export const redactedBefore = (value: object): RedactedValue | undefined => prepared?.values.get(value);

/** Up to this many characters are redacted in one step. */
const STEP_CHARS = 16 * 1024;

/** Redacts a text for later, with a yield after each step of a few milliseconds. */
export function* addRedaction(text: string, found: Map<string, string>): Generator<void, void> {
  if (SHORT_WORD.test(text) || found.has(text)) return;
  found.set(text, text.length > STEP_CHARS ? yield* redactTextInSteps(text) : redactText(text));
  yield;
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
