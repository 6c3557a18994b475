/**
 * The numbers of entries that a digest is made of: those that it shows, those that may come into it when others leave, and
 * new ones since these were chosen, which it shows too.
 */
export type DigestLists = {
  shown: readonly number[];
  reserve: readonly number[];
  added?: readonly number[] | undefined;
};

/** All entries of a scope are shown where it has no more than this. */
export const SHOWN_WHOLE = 40;
/** So many new entries are shown before lists are chosen again, which means to look at some 200 entries. */
const MOST_ADDED = 20;

export const sortedNumbers = (numbers: Iterable<number>): number[] => [...new Set(numbers)].sort((a, b) => a - b);

/** What a digest shows, its reader chooses from. */
export const shownIn = ({ shown, added = [] }: DigestLists): readonly number[] => [...shown, ...added];

/**
 * Lists with more entries, where they need not be chosen again: a scope that is shown whole stays whole, and a new entry
 * moves no other one out of the reserve. Undefined where they have to be chosen.
 */
export function grownLists(
  { shown, reserve, added = [] }: DigestLists,
  { entries, areNew }: { entries: Iterable<number>; areNew: boolean },
): DigestLists | undefined {
  if (reserve.length + added.length === 0) {
    const all = sortedNumbers([...shown, ...entries]);
    return all.length <= SHOWN_WHOLE ? { shown: all, reserve } : undefined;
  }
  const known = new Set([...shown, ...reserve]);
  const more = sortedNumbers([...added, ...entries]).filter((entry_id) => !known.has(entry_id));
  return areNew && more.length <= MOST_ADDED ? { shown, reserve, added: more } : undefined;
}
