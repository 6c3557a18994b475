import type { JsonObject, OperationName } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';

export const isPaged = (name: OperationName): boolean => routes[name].paged === true;

/** The list in an operation's answer, if there is exactly one. */
export const listField = (name: OperationName): string | undefined => routes[name].list;

/** The input for the next page (both as on the wire); undefined after the last page. */
export function nextPage(input: JsonObject, output: JsonObject): JsonObject | undefined {
  if (output.has_more !== true) return undefined;
  if (typeof output.next_cursor === 'string') return { ...input, cursor: output.next_cursor };
  return typeof output.last_seq === 'number' ? { ...input, after: output.last_seq } : undefined;
}
