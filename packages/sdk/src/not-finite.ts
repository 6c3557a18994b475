import { JsonText } from '@mem-service/contract/client';
import { invalidField, type MemError } from './error.ts';

/** JSON would keep nothing of them but an empty object. */
const EMPTIED = [Map, Set, WeakMap, WeakSet, Promise, RegExp] as const;

/**
 * Whether JSON silently loses the value: it has no NaN, no Infinity and no text for an invalid Date, and would leave
 * out a function, or send an empty object for a Map.
 */
export const isLost = (value: unknown): boolean => lossOf(value) !== undefined;

function lossOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : `must be a finite number, not ${value}`;
    case 'bigint':
      // A program may give them a form of its own.
      return 'toJSON' in BigInt.prototype ? undefined : 'must be a value that JSON has, not a bigint';
    case 'function':
    case 'symbol':
      return `must be a value that JSON has, not a ${typeof value}`;
    case 'object':
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'must be a valid date' : undefined;
      return emptied(value);
    default:
      return undefined;
  }
}

const kindOf = (value: object | null) => EMPTIED.find((one) => value instanceof one);
export const isEmptied = (value: object): boolean => kindOf(value) !== undefined;

function emptied(value: object | null): string | undefined {
  const kind = kindOf(value);
  const hasForm = typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';
  return kind === undefined || hasForm ? undefined : `must be a value that JSON has, not a ${kind.name}`;
}

export const lostField = (path: string, value: unknown): MemError => invalidField(path, lossOf(value) as string);

/** Throws for the first such value anywhere within. */
export function refuseLost(members: readonly (readonly [string, unknown])[], at = ''): void {
  for (const [name, value] of members) {
    if (isLost(value)) throw lostField(at + name, value);
    if (typeof value !== 'object' || value === null || value instanceof JsonText) continue;
    const { toJSON } = value as { toJSON?: unknown };
    const sent: unknown = typeof toJSON === 'function' ? toJSON.call(value, name) : value;
    if (isLost(sent)) throw lostField(at + name, sent);
    if (typeof sent === 'object' && sent !== null) refuseLost(Object.entries(sent), `${at}${name}.`);
  }
}
