import { JsonText } from '@mem-service/contract';
import { invalidField, type MemError } from './error.ts';

/** JSON has no NaN and no Infinity, and an invalid Date has no text: they would silently be sent as null. */
export const isLost = (value: unknown): boolean =>
  (typeof value === 'number' && !Number.isFinite(value)) || (value instanceof Date && Number.isNaN(value.getTime()));

export const notFinite = (path: string, value: unknown): MemError =>
  invalidField(path, value instanceof Date ? 'must be a valid date' : `must be a finite number, not ${value}`);

/** Throws for the first such value anywhere within. */
export function refuseLost(members: readonly (readonly [string, unknown])[], at = ''): void {
  for (const [name, value] of members) {
    if (isLost(value)) throw notFinite(at + name, value);
    if (typeof value !== 'object' || value === null || value instanceof JsonText) continue;
    const { toJSON } = value as { toJSON?: unknown };
    const sent: unknown = typeof toJSON === 'function' ? toJSON.call(value, name) : value;
    if (isLost(sent)) throw notFinite(at + name, sent);
    if (typeof sent === 'object' && sent !== null) refuseLost(Object.entries(sent), `${at}${name}.`);
  }
}
