import type { JsonObject } from '@mem-service/contract';
import { type OperationName, operations } from '@mem-service/contract';
import { definitionOf } from './rename.ts';

const shapeOf = (name: OperationName) => definitionOf(operations[name].output).shape ?? {};

export const isPaged = (name: OperationName): boolean => 'has_more' in shapeOf(name);

/** The list in an operation's answer, if there is exactly one. */
export function listField(name: OperationName): string | undefined {
  const lists = Object.entries(shapeOf(name)).filter(([, schema]) => definitionOf(schema).type === 'array');
  return lists.length === 1 ? lists[0]?.[0] : undefined;
}

/** The input for the next page (both as on the wire); undefined after the last page. */
export function nextPage(input: JsonObject, output: JsonObject): JsonObject | undefined {
  if (output.has_more !== true) return undefined;
  if (typeof output.next_cursor === 'string') return { ...input, cursor: output.next_cursor };
  return typeof output.last_seq === 'number' ? { ...input, after: output.last_seq } : undefined;
}
