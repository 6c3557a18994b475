import type { JsonSteps, Side, Three } from './json.ts';
import { conflictOf, type MaybeState, type MergedState } from './states.ts';

type MergedPrivacy = {
  states: Three<MaybeState>;
  merged: MergedState;
  /** The sides that have the entry, and only another agent may see it there. */
  unseen: Readonly<Record<Side, boolean>>;
  /** The target has it as it was in the base, so that the source changed what it was allowed to change. */
  isKept: boolean;
  prefer: Side | undefined;
};

/**
 * An entry that only another agent may see is not changed in the target, and its members are not merged with others: that is a
 * conflict, for the author to resolve.
 */
export function* guardPrivate({ states, merged, unseen, isKept, prefer }: MergedPrivacy): JsonSteps<MergedState> {
  const isBroken =
    (merged.kind === 'source' && unseen.target && !isKept) ||
    (merged.kind === 'merged' && (unseen.source || unseen.target));
  if (!isBroken) return merged;
  if (prefer === 'target' || (prefer === 'source' && !unseen.target)) return { kind: prefer };
  return { kind: 'conflict', ...(yield* conflictOf(states)) };
}
