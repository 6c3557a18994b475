import { JsonText } from '@mem-service/contract';
import { cutText, MAX_REDACT_CHARS } from './redact.ts';
import { redactJson } from './redact-json.ts';

export type Payload = { value: unknown; truncated: boolean };

const MAX_DEPTH = 128;

/** Any JSON value without its secrets. A value longer than `maxChars` becomes text: the beginning of its JSON. */
export function capPayload(given: unknown, maxChars: number): Payload {
  const value = redactJson(given) ?? null;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (text.length > maxChars) return { value: cutText(text, maxChars), truncated: true };
  return { value, truncated: holdsLongText(given, 0) };
}

/** Redaction truncates a long text by itself. */
function holdsLongText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length > MAX_REDACT_CHARS;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  if (value instanceof JsonText) return holdsLongText(value.value, depth);
  return Object.values(value).some((member) => holdsLongText(member, depth + 1));
}
