import { type JsonObject, JsonText } from '@mem-service/contract';

export type { JsonObject } from '@mem-service/contract';

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonText);

/** The objects in a list; empty if the value is not a list. */
export const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** An id may be a number, with more digits than JavaScript has. */
export const idOf = (value: unknown): string | undefined =>
  value instanceof JsonText
    ? value.text
    : typeof value === 'number' && Number.isFinite(value)
      ? String(value)
      : textOf(value);

/** A number, whose digits were kept or not. */
export const numberOf = (value: unknown): unknown => (value instanceof JsonText ? value.value : value);

/** Drops members that are missing, null or empty. */
export function withoutEmpty(members: JsonObject): JsonObject {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

/** A list stored as JSON text, or as lines. */
export function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string' && one !== '');
  const text = textOf(value);
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return listOf(parsed);
  } catch {}
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
