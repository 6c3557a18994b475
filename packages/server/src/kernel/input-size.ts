import { JsonText } from '@mem-service/contract';

/** Roughly the number of characters that a waiting write holds in memory. */
export function inputSize(input: unknown): number {
  if (typeof input === 'string') return input.length;
  if (input instanceof JsonText) return input.text.length;
  if (typeof input !== 'object' || input === null) return 8;
  return Object.values(input).reduce<number>((sum, part) => sum + inputSize(part), 8);
}
