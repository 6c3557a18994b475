/** The mean of 1 / place; 0 counts as not found. */
export const meanReciprocal = (places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (place > 0 ? 1 / place : 0), 0) / Math.max(places.length, 1);

/**
 * Splits questions in two halves that have none in common: one to choose on, one to compare on. By the question, so that
 * it stays in its half when others come and go.
 */
export function splitByQuestion<T extends { question: string }>(
  pairs: readonly T[],
): { chosen_on: T[]; held_out: T[] } {
  const isHeldOut = ({ question }: T): boolean => {
    let sum = 2_166_136_261;
    for (const letter of question.toLowerCase()) sum = Math.imul(sum ^ (letter.codePointAt(0) as number), 16_777_619);
    return Math.imul(sum ^ (sum >>> 15), 2_246_822_507) >>> 31 === 1;
  };
  return { chosen_on: pairs.filter((pair) => !isHeldOut(pair)), held_out: pairs.filter(isHeldOut) };
}
