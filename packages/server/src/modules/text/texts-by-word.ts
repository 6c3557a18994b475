import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Term } from './rules/query.ts';
import { countTerm } from './rules/rank.ts';
import type { TailText } from './tail.ts';

/** Words that are added before other requests get a turn. */
const TURN_WORDS = 10_000;

/** Texts that stay although nobody means them any more, beside as many as are meant. */
const MAX_UNUSED = 500;

/**
 * Texts by their words, so that a search looks at those that have one of its words. Texts are added and never removed: who asks
 * says which are meant.
 */
export class TextsByWord {
  readonly #bySeq = new Map<number, TailText>();
  readonly #byWord = new Map<string, TailText[]>();

  get(seq: number): TailText | undefined {
    return this.#bySeq.get(seq);
  }

  isWorthKeeping(meant: number): boolean {
    return this.#bySeq.size <= 2 * meant + MAX_UNUSED;
  }

  async add(texts: readonly TailText[]): Promise<void> {
    let turn = 0;
    for (const text of texts) {
      if (this.#bySeq.has(text.seq)) continue;
      this.#bySeq.set(text.seq, text);
      for (const word of new Set(text.words)) {
        const known = this.#byWord.get(word);
        if (known) known.push(text);
        else this.#byWord.set(word, [text]);
      }
      turn += text.words.length;
      if (turn < TURN_WORDS) continue;
      turn = 0;
      await nextTurn();
    }
  }

  /** Texts with one of the terms, each once. */
  having(terms: readonly Term[]): TailText[] {
    const found = new Map<number, TailText>();
    for (const term of terms)
      for (const text of this.#candidates(term)) if (countTerm(text.words, term) > 0) found.set(text.seq, text);
    return [...found.values()];
  }

  /** All but the last word of a term are whole ones. */
  #candidates({ words, prefix }: Term): Iterable<TailText> {
    const [first] = words;
    if (first === undefined) return [];
    return prefix && words.length === 1 ? this.#bySeq.values() : (this.#byWord.get(first) ?? []);
  }
}
