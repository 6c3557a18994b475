/** Longer names are not compared: the time to compare grows with their length. */
const MAX_LENGTH = 64;

/** `. Did you mean x?`, or an empty text if no candidate is close. For `agent_id` that may be `for_agent`. */
export function suggest(given: string, candidates: readonly string[]): string {
  if (given.length > MAX_LENGTH) return '';
  const ranked = candidates
    .map((candidate) => ({ candidate, steps: distance(given, candidate) }))
    .sort((a, b) => a.steps - b.steps);
  const best = ranked[0];
  const isShort = given.length < 4 && lettersOf(given) !== lettersOf(best?.candidate ?? '');
  const limit = isShort ? 1 : Math.max(2, Math.floor(given.length / 3));
  if (!best || best.steps > limit) {
    const ofOne = /^(.+)_id$/.exec(given)?.[1];
    const isLonger = (candidate: string) =>
      (given.length > 2 && candidate.startsWith(given)) || (ofOne !== undefined && candidate.endsWith(`_${ofOne}`));
    const longer = candidates.find(isLonger);
    return longer ? `. Did you mean ${longer}?` : '';
  }
  return `. Did you mean ${best.candidate}?`;
}

const lettersOf = (word: string): string => [...word].sort().join('');

/** The Levenshtein distance: insertions, deletions and replacements that turn one text into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
