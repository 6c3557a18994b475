import {
  differencesOf,
  type Json,
  type JsonDifference,
  type JsonSteps,
  mergeJson,
  type Side,
  sameJson,
  type Three,
} from './json.ts';

/** What an entry says. The value and the lists are parsed; the confidence is as it was written, before any outcome. */
export type EntryState = {
  value: Json;
  memory_type: string;
  shared: boolean;
  ttl_at: number | null;
  pattern_refs: Json;
  artifact_refs: Json;
  confidence: number;
};

/** An entry that does not exist, or was deleted, has no state. */
export type MaybeState = EntryState | undefined;

/**
 * When two changes of one entry conflict: `field` where both change the same member of its value or the same field, `entry`
 * always, `newest` never, as the later one wins.
 */
export type Detection = 'field' | 'entry' | 'newest';

export type ConflictReason = 'both_added' | 'both_modified' | 'deleted_by_source' | 'deleted_by_target';

/**
 * `target`: nothing is to be done. `source`: the target takes what the source has. `deleted`: it has the entry no more. `merged`: it
 * says this, in the text of the value if there is one.
 */
export type MergedState =
  | { kind: 'target' | 'source' | 'deleted' }
  | { kind: 'merged'; state: EntryState; text?: string | undefined }
  | { kind: 'conflict'; reason: ConflictReason; fields: string[] };

export type MergeChoice = { detection: Detection; prefer?: Side | undefined; newest?: Side | undefined };

/** The fields that both sides can change; a confidence is not among them, as it never conflicts. */
const FIELDS = ['value', 'memory_type', 'shared', 'ttl_at', 'pattern_refs', 'artifact_refs'] as const;

export function* sameStates(one: MaybeState, other: MaybeState): JsonSteps<boolean> {
  if (one === undefined || other === undefined) return one === other;
  if (one.confidence !== other.confidence) return false;
  for (const field of FIELDS) if (!(yield* sameJson(one[field], other[field]))) return false;
  return true;
}

/** The differences between two states as JSON Pointers below the name of each field. */
export const fieldDifferences = (from: MaybeState, to: MaybeState): JsonSteps<JsonDifference[]> =>
  differencesIn([...FIELDS, 'confidence'], from, to);

function* differencesIn(
  fields: readonly (keyof EntryState)[],
  from: MaybeState,
  to: MaybeState,
): JsonSteps<JsonDifference[]> {
  const all: JsonDifference[] = [];
  for (const field of fields)
    for (const one of yield* differencesOf(from?.[field], to?.[field], `/${field}`)) all.push(one);
  return all;
}

/** The side that a conflict takes by itself. */
export const preferredSide = ({ detection, prefer, newest = 'target' }: MergeChoice): Side | undefined =>
  prefer ?? (detection === 'newest' ? newest : undefined);

/** Merges what two sides made of one entry. The result does not depend on which of them is called the source. */
export function* mergeStates(three: Three<MaybeState>, choice: MergeChoice): JsonSteps<MergedState> {
  const { base, source, target } = three;
  if ((yield* sameStates(source, target)) || (yield* sameStates(base, source))) return { kind: 'target' };
  if (yield* sameStates(base, target)) return { kind: 'source' };
  const prefer = preferredSide(choice);
  if (base && source && target && (choice.detection !== 'entry' || prefer !== undefined))
    return yield* mergeFields({ base, source, target }, prefer);
  if (prefer !== undefined) return { kind: prefer };
  return { kind: 'conflict', ...(yield* conflictOf(three)) };
}

function* mergeFields(three: Three<EntryState>, prefer: Side | undefined): JsonSteps<MergedState> {
  const conflicts: string[] = [];
  const merged: Record<string, Json> = {};
  for (const field of FIELDS) {
    const values = { base: three.base[field], source: three.source[field], target: three.target[field] };
    const { value, conflicts: found } = yield* mergeJson(values, prefer, `/${field}`);
    merged[field] = value;
    for (const conflict of found) conflicts.push(conflict);
  }
  if (conflicts.length > 0) return { kind: 'conflict', reason: 'both_modified', fields: conflicts };
  const state = { ...merged, confidence: mergeConfidence(three) } as EntryState;
  if (yield* sameStates(state, three.target)) return { kind: 'target' };
  return (yield* sameStates(state, three.source)) ? { kind: 'source' } : { kind: 'merged', state };
}

/** Where both sides wrote another one, the lower counts: nobody claimed more for what both say together. */
function mergeConfidence({ base, source, target }: Three<EntryState>): number {
  if (source.confidence === base.confidence) return target.confidence;
  if (target.confidence === base.confidence) return source.confidence;
  return Math.min(source.confidence, target.confidence);
}

export function* conflictOf({
  base,
  source,
  target,
}: Three<MaybeState>): JsonSteps<{ reason: ConflictReason; fields: string[] }> {
  if (!source) return { reason: 'deleted_by_source', fields: [] };
  if (!target) return { reason: 'deleted_by_target', fields: [] };
  const differences = yield* differencesIn(FIELDS, target, source);
  return { reason: base ? 'both_modified' : 'both_added', fields: differences.map(({ path }) => path) };
}
