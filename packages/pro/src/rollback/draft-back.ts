import { type EntryDraft, type EntryRow, fromDocument, isLive, type VersionRow } from '@mem-service/server/module';

/** A state of an entry that can be written again. */
export type StoredState = Pick<
  VersionRow,
  'document' | 'deleted' | 'confidence' | 'version' | 'agent_id' | 'shared' | 'ttl_at'
>;

type RestoredPlace = { branch: string; entity_path: string; key: string; agent_id: string; now: number };

/**
 * The write that brings an entry back to a state; undefined where it neither was there nor is there now. Authors are kept, so
 * that nobody but the author sees what is private.
 */
export function draftBack(
  current: EntryRow | undefined,
  earlier: StoredState | undefined,
  { now, agent_id, ...at }: RestoredPlace,
): EntryDraft | undefined {
  if (isLive(earlier, now)) return { ...contentOf(earlier), ...at, agent_id: earlier.agent_id };
  if (!isLive(current, now)) return undefined;
  return { ...at, agent_id: current.shared === 1 ? agent_id : current.agent_id, session_id: null, value: undefined };
}

/** Everything that a version says, with the session and the event that it was written for. */
export function contentOf(state: StoredState) {
  const { origin, deleted: _, ...content } = fromDocument(state);
  const { session_id, event } = origin;
  const shared = content.shared === 1;
  return { ...content, shared, is_artifact: content.is_artifact === 1, session_id, event };
}

/** The authors of what comes from outside under this name. */
export const authorsOfSource = (source: string): string[] => [`webhook/${source}`, `external/${source}`];
