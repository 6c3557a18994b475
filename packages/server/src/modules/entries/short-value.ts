import { attachRaw, type JsonText } from '@mem-service/contract';

/** The value in a document, with its text. */
export function rawValue(document: string): JsonText {
  const parsed = JSON.parse(document) as { value: JsonText };
  attachRaw(document, parsed, [['value']]);
  return parsed.value;
}

/** A value as it is shown beside others: of a long one, the beginning of its text. */
export function shortValue(value: JsonText, most: number): { value: unknown; value_truncated: boolean } {
  const plain = value.value;
  const text = typeof plain === 'string' ? plain : value.text;
  if (text.length <= most) return { value, value_truncated: false };
  return { value: text.slice(0, most).toWellFormed(), value_truncated: true };
}
