/** A state of a branch: what it showed at a `seq`. */
export type BranchState = { branch: string; seq: number };

/** How far a state contains each branch: everything that the branch showed up to that `seq`. */
export type Contained = ReadonlyMap<string, number>;

/** What a state was made from: the fork of its branch that was in force, and what was merged into it. */
export type Origins = (state: BranchState) => Promise<readonly BranchState[]>;

/** Everything that a state contains, through forks, refreshes and merges. */
export async function containedIn(state: BranchState, origins: Origins): Promise<Contained> {
  const contained = new Map<string, number>();
  const open = [state];
  for (let next = open.pop(); next; next = open.pop()) {
    if ((contained.get(next.branch) ?? -1) >= next.seq) continue;
    contained.set(next.branch, next.seq);
    open.push(...(await origins(next)));
  }
  return contained;
}

/** The states that two states have in common, of each branch the latest. */
export const commonStates = (one: Contained, other: Contained): BranchState[] =>
  [...one].flatMap(([branch, seq]) => {
    const also = other.get(branch);
    return also === undefined ? [] : [{ branch, seq: Math.min(seq, also) }];
  });

/**
 * The best of common states: one that no other contains. Where several are left, each merged into the other's line, the latest
 * in the log.
 */
export function bestOf(states: readonly { state: BranchState; contains: Contained }[]): BranchState | undefined {
  const best = states.filter(
    ({ state }) =>
      !states.some(
        ({ state: other, contains }) =>
          other.branch !== state.branch && (contains.get(state.branch) ?? -1) >= state.seq,
      ),
  );
  const left = best.length > 0 ? best : states;
  return left.map(({ state }) => state).sort((a, b) => b.seq - a.seq || (a.branch < b.branch ? -1 : 1))[0];
}
