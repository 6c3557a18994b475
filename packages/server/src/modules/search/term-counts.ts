import type { Expression } from '../text/index.ts';

type TermCount = { count: number; size: number };

const MAX_TERMS = 10_000;

/** New entries that a count may miss, beside as many again as it has: enough to tell a rare term from a common one. */
const FEW_ENTRIES = 100;

/**
 * Remembers how many entries match a term, as words come again in searches and counting takes as long as a part of the
 * search. A term that nothing matched is counted each time, so that what has just been written is found.
 */
export class TermCounts {
  readonly #known = new Map<Expression, TermCount>();

  /** `size` is how many entries there have been so far. */
  async get(
    terms: readonly Expression[],
    size: number,
    count: (terms: readonly Expression[]) => Promise<number[]>,
  ): Promise<number[]> {
    const missing = terms.filter((term) => this.#recall(term, size) === undefined);
    const counted = missing.length > 0 ? await count(missing) : [];
    const found = new Map(missing.map((term, i) => [term, counted[i] ?? 0]));
    const counts = terms.map((term) => found.get(term) ?? this.#recall(term, size) ?? 0);
    for (const [term, n] of found) if (n > 0) this.#keep(term, { count: n, size });
    return counts;
  }

  #recall(term: Expression, size: number): number | undefined {
    const known = this.#known.get(term);
    return known && size - known.size <= known.count + FEW_ENTRIES ? known.count : undefined;
  }

  #keep(term: Expression, counted: TermCount): void {
    if (this.#known.size >= MAX_TERMS) this.#known.clear();
    this.#known.set(term, counted);
  }
}
