import { JsonText } from '@mem-service/contract/client';

/** The service cuts texts at its own limit, which is far below this one. */
const MAX_CHARS = 256_000;
const MAX_BINARY_CHARS = 1_000;
const BINARY = /^(?:data:[^,]{0,200};base64,|[A-Za-z0-9+/_-]{1000,}={0,2}$)/;

/** A copy of the value at this moment, cut to what can be sent. Binary data is replaced by its length. */
export function payloadOf(value: unknown): JsonText | undefined {
  const text = JSON.stringify(value, (_, member) =>
    typeof member === 'string' && member.length > MAX_BINARY_CHARS && BINARY.test(member)
      ? `[${member.length} characters left out]`
      : member,
  );
  if (text === undefined) return undefined;
  return new JsonText(text.length <= MAX_CHARS ? text : JSON.stringify(cut(text, MAX_CHARS)));
}

export const cut = (text: string, maxChars: number): string => text.slice(0, maxChars).toWellFormed();

/** An error on one line, for a record. */
export function errorText(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  const text = name === '' || name === 'Error' || message.startsWith(name) ? message : `${name}: ${message}`;
  return cut(text || name || 'error', 4096);
}
