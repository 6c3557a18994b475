/** Two texts with this share of all their words in common say the same. */
const LEAST_COMMON = 0.85;

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** How many of some texts nearly repeat one before them. */
export function countDuplicates(texts: readonly string[]): number {
  const sets = texts.map(wordsOf);
  return sets.filter((words, at) => sets.slice(0, at).some((other) => commonShare(words, other) >= LEAST_COMMON))
    .length;
}

function commonShare(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return common / Math.max(a.size + b.size - common, 1);
}
