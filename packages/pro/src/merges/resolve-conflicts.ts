import {
  type Glob,
  inTurns,
  invalidInput,
  type JsonText,
  matchesGlob,
  parseExactInSteps,
  parseGlob,
} from '@mem-service/server/module';
import type { ConflictRow, Take } from './conflict-queries.ts';
import { nameText } from './load.ts';
import type { PlannedEntry } from './plan.ts';
import type { EntryState } from './rules/states.ts';

export type Resolution = { take: Take; value: string | null };

type GivenResolution = { entity_path: string; key?: string | undefined; take: Take; value?: JsonText | undefined };

/** Resolutions that a caller gives with a merge; of those that fit an entry, the first counts. */
export function parseResolutions(given: readonly GivenResolution[]) {
  const parsed = given.map(({ entity_path, key, take, value }, i) => {
    requireValue({ take, value }, `resolutions.${i}.value`);
    return { glob: parseGlob(entity_path) as Glob, key, take, value: value?.text ?? null };
  });
  return (at: { entity_path: string; key: string }): Resolution | undefined =>
    parsed.find(({ glob, key }) => (key === undefined || key === at.key) && matchesGlob(glob, at.entity_path));
}

export function requireValue({ take, value }: { take: Take; value?: JsonText | undefined }, path: string): void {
  if ((take === 'value') !== (value !== undefined))
    throw invalidInput([{ path, message: 'is required with take: value, and goes with nothing else' }]);
}

/** What was stored for a conflict. It counts as long as both sides have the entry as it was resolved. */
export function resolutionsOf(stored: readonly ConflictRow[]) {
  const byName = new Map(stored.map((row) => [nameText(row), row]));
  return ({ at, rows: { source, target } }: PlannedEntry): Resolution | undefined => {
    const row = byName.get(nameText(at));
    const isSame =
      row?.source_entry === (source?.entry_id ?? null) &&
      row.source_version === (source?.version ?? null) &&
      row.target_entry === (target?.entry_id ?? null) &&
      row.target_version === (target?.version ?? null);
    return isSame && row.take !== null ? { take: row.take, value: row.value } : undefined;
  };
}

/** Replaces a conflict by what a resolution says. */
export async function applyResolution(planned: PlannedEntry, { take, value }: Resolution): Promise<void> {
  const { contents } = planned;
  if (take === 'source' || take === 'target') {
    planned.merged = { kind: take };
    return;
  }
  if (take === 'base' && !contents.base) {
    planned.merged = { kind: 'deleted' };
    return;
  }
  const like = contents.base ?? contents.target ?? contents.source;
  const from = (take === 'base' ? contents.base : (contents.target ?? contents.source ?? like))?.state as EntryState;
  const state = take === 'base' ? from : { ...from, value: await inTurns(parseExactInSteps(value as string)) };
  planned.merged = { kind: 'merged', state, text: take === 'base' ? contents.base?.value : (value as string) };
}
