import { JsonText, parseExact } from '@mem-service/contract';
import type { FieldChange } from './differences.ts';

/** What changes between two values, member by member of their objects; lists as a whole. Undefined is no value. */
export function memberChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  const [old, now] = [plain(before), plain(after)];
  if (old === undefined) return now === undefined ? [] : [{ path, operation: 'add', new_value: now }];
  if (now === undefined) return [{ path, operation: 'remove', old_value: old }];
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) => memberChanges(old[name], now[name], path === '' ? name : `${path}/${name}`));
  }
  return textOf(old) === textOf(now) ? [] : [{ path, operation: 'replace', old_value: old, new_value: now }];
}

/** Numbers that JavaScript would change stay as they are written. */
const plain = (value: unknown): unknown =>
  value instanceof JsonText && /^\s*[[{]/.test(value.text) ? parseExact(value.text) : value;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonText);

const textOf = (value: unknown): string => JsonText.of(value).text;
