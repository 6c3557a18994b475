import { randomFrom } from '../corpus.mjs';

/** Chances that a seed repeats exactly, on every machine. */
export function chancesOf(seed) {
  const next = randomFrom(seed * 7919);
  const below = (n) => Math.floor(next() * n);
  return {
    next,
    below,
    isTrue: (probability) => next() < probability,
    of: (list) => list[below(list.length)],
    /** Some of a list, in its order. */
    some(list, n) {
      const chosen = new Set();
      while (chosen.size < Math.min(n, list.length)) chosen.add(below(list.length));
      return list.filter((_, at) => chosen.has(at));
    },
    /** Around a middle, with a long tail above it, like times and costs. */
    around: (middle) => middle * Math.exp((next() + next() + next() - 1.5) * 0.8),
  };
}
