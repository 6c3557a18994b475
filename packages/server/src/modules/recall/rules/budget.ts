/** A text that may be part of a context. */
export type Budgeted = { tokens: number };

/** Chooses whole texts, best first, as long as they fit; a smaller one may still fit after one that did not. */
export function fillBudget<T extends Budgeted>(
  texts: readonly T[],
  { limit, tokens = Number.POSITIVE_INFINITY }: { limit: number; tokens?: number | undefined },
): { kept: T[]; left: T[] } {
  const kept: T[] = [];
  const left: T[] = [];
  let room = tokens;
  for (const one of texts.slice(0, limit)) {
    if (one.tokens <= room) {
      room -= one.tokens;
      kept.push(one);
    } else left.push(one);
  }
  return { kept, left };
}
