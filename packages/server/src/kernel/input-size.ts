import { JsonText } from '@mem-service/contract';

/** What was measured in steps, so that it is not measured again at once. */
const measured = new WeakMap<object, number>();

/** Roughly the number of characters that a waiting write holds in memory. */
export function inputSize(input: unknown): number {
  if (typeof input === 'string') return input.length;
  if (input instanceof JsonText) return input.text.length;
  if (typeof input !== 'object' || input === null) return OTHER_CHARS;
  const known = measured.get(input);
  if (known !== undefined) return known;
  let size = OTHER_CHARS;
  for (const part of Object.values(input)) size += inputSize(part);
  return size;
}

const OTHER_CHARS = 8;
const PARTS_PER_STEP = 1000;

/** Whether it is at least of this size; looks no further than that. */
export function isInputOfSize(input: unknown, chars: number): boolean {
  return rest(input, chars) <= 0;
}

function rest(input: unknown, chars: number): number {
  if (typeof input !== 'object' || input === null || input instanceof JsonText) return chars - inputSize(input);
  let left = chars - OTHER_CHARS;
  for (const name in input) {
    if (left <= 0) break;
    left = rest((input as Record<string, unknown>)[name], left);
  }
  return left;
}

/** The size of an input with many parts, with a yield after some of them. */
export function* inputSizeInSteps(input: object): Generator<void, number> {
  const left: unknown[] = [input];
  let size = 0;
  let parts = 0;
  while (left.length > 0) {
    if (++parts % PARTS_PER_STEP === 0) yield;
    const part = left.pop();
    if (typeof part !== 'object' || part === null || part instanceof JsonText) size += inputSize(part);
    else {
      size += OTHER_CHARS;
      for (const one of Object.values(part)) left.push(one);
    }
  }
  measured.set(input, size);
  return size;
}
