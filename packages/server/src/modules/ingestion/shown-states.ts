import { MAIN_BRANCH, type Work } from '../../kernel/index.ts';
import { type EntryRow, type EntrySet, findFirstVersions, fromDocument } from '../entries/index.ts';
import type { Arrival } from './arrivals.ts';
import type { Thing, ThingState } from './rules/merge.ts';
import type { Stamp } from './rules/stamps.ts';
import type { Place } from './things.ts';

type Version = Pick<EntryRow, 'agent_id' | 'document' | 'deleted' | 'confidence'>;
type StampedEvent = { occurred_at?: string | null; rank?: number };
export type SentThing = { sender: string; place: Place };

/**
 * Whether the first version of an entry shows the state of its thing, by the event that it names: all was given at once, at
 * the time of that event. Most things have one event, and need no row of their own.
 */
export function isShown({ value, state }: Thing, { occurred_at, rank = 0 }: Arrival): boolean {
  const { whole, ...others } = state;
  return (
    value !== undefined &&
    whole?.[0] === occurred_at &&
    whole[1] === rank &&
    Object.values(others).every((one) => one === undefined)
  );
}

/** The states that first versions show, of entries that are there. */
export async function findShown(
  work: Work,
  entries: EntrySet,
  asked: readonly SentThing[],
): Promise<{ place: Place; state: ThingState }[]> {
  const there = asked.flatMap(({ sender, place }) => {
    const entry = entries.get({ branch: MAIN_BRANCH, entity_path: place.entity_path, key: place.key });
    return entry ? [{ sender, place, entry }] : [];
  });
  if (there.length === 0) return [];
  const later = there.filter(({ entry }) => entry.version > 1);
  const keys = later.map(({ entry }) => [work.account_id, entry.entry_id, 1]);
  const found = keys.length === 0 ? [] : await work.tx.findMany<Version>(findFirstVersions, keys);
  const first = new Map(later.map(({ entry }, i) => [entry, found[i]]));
  return there.flatMap(({ sender, place, entry }) => {
    const version = entry.version === 1 ? entry : first.get(entry);
    const whole = version?.agent_id === sender ? stampIn(version) : undefined;
    return whole ? [{ place, state: { whole } }] : [];
  });
}

function stampIn(version: Version): Stamp | undefined {
  const { event } = fromDocument(version).origin;
  const { occurred_at, rank = 0 } = event === undefined ? {} : (JSON.parse(event) as StampedEvent);
  return typeof occurred_at === 'string' ? [Date.parse(occurred_at), rank] : undefined;
}
