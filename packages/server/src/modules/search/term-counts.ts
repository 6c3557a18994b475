import type { Expression } from '../text/index.ts';

type TermCount = { count: number; size: number };

const MAX_TERMS = 10_000;

/**
 * A cached count may miss this many new entries, plus as many as it holds: enough to distinguish a rare term from a common
 * one.
 */
const FEW_ENTRIES = 100;

/**
 * Caches how many entries match a term: searches repeat words, and counting takes as long as a part of the search. A term
 * without matches is counted each time, so that new entries are found.
 */
export class TermCounts {
  readonly #known = new Map<Expression, TermCount>();

  /** `size` is the current number of entries. */
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
