import { attachRaw, type OperationName, operations, stringify } from '@mem-service/contract';
import { nextPage } from '@mem-service/sdk';
import type { z } from 'zod';
import type { ServiceConnection } from './connect.ts';
import type { CommandInput } from './input.ts';

/** Counts of one page, not of the whole. */
const SUMMED: readonly string[] = ['total_checked', 'valid', 'count'];

/** Reads all pages and joins them into one answer. Items keep their exact text. */
export async function callAll(
  connection: ServiceConnection,
  name: OperationName,
  input: CommandInput,
): Promise<string> {
  const lists = listsOf(name);
  const paths = lists.map((field) => [field, '*']);
  const whole: CommandInput = {};
  for (let next: CommandInput | undefined = input; next; ) {
    const text = await connection.call(name, next);
    const page: CommandInput = JSON.parse(text);
    next = nextPage(next, page);
    attachRaw(text, page, paths);
    for (const [field, found] of Object.entries(page)) whole[field] = merge(field, whole[field], found);
  }
  return stringify(whole);
}

function merge(field: string, before: unknown, found: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(found)) {
    for (const item of found) before.push(item);
    return before;
  }
  return SUMMED.includes(field) && typeof before === 'number' ? before + (found as number) : found;
}

function listsOf(name: OperationName): string[] {
  const shape = (operations[name].output as z.ZodObject).shape as Record<string, z.core.$ZodType>;
  return Object.keys(shape).filter((field) => shape[field]?._zod.def.type === 'array');
}
