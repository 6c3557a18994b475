import { numberOf } from './json-objects.ts';

/** What a model has summed up is less certain than what was said or observed. */
export const SUMMARY_CONFIDENCE = 0.6;
/** The other system itself says that it no longer holds. */
export const OUTDATED_CONFIDENCE = 0.3;

/** The first that is a confidence; a text is one where notes keep numbers as texts. */
export function statedConfidence(...given: readonly unknown[]): number | undefined {
  for (const one of given.map(numberOf)) {
    const number = typeof one === 'string' && one.trim() !== '' ? Number(one) : one;
    if (typeof number === 'number' && number >= 0 && number <= 1) return number;
  }
  return undefined;
}
