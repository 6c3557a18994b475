import type { EntryRow, VersionContent } from '../rows.ts';
import { sameJson } from './diff.ts';

/** A wish to change one entry. What is left out keeps or takes the default that `nextContent` says. */
export type EntryDraft = {
  branch: string;
  entity_path: string;
  key: string;
  agent_id: string;
  session_id: string | null;
  /** The session as the service names it. */
  session?: string | undefined;
  /** `undefined` deletes. */
  value: string | undefined;
  /** The value, where it has been parsed already. */
  parsed?: unknown;
  confidence?: number | undefined;
  memory_type?: string | undefined;
  shared?: boolean | undefined;
  pattern_refs?: string | undefined;
  artifact_refs?: string | undefined;
  ttl_at?: number | null | undefined;
  is_artifact?: boolean | undefined;
  if_version?: number | undefined;
  commit_id?: string | undefined;
  /** When it was written elsewhere; never before what is there. */
  written_at?: number | undefined;
};

type LivenessColumns = Pick<EntryRow, 'deleted' | 'ttl_at'>;

export const isLive = <T extends LivenessColumns>(row: T | undefined, now: number): row is T =>
  row !== undefined && row.deleted === 0 && (row.ttl_at === null || row.ttl_at > now);

export const mayAgentSee = (row: Pick<EntryRow, 'shared' | 'agent_id'>, agentId: string): boolean =>
  row.shared === 1 || row.agent_id === agentId;

/** Whether a draft says again what the entry says. */
export const isSameStatement = (before: VersionContent | undefined, draft: EntryDraft): boolean =>
  before !== undefined && draft.value !== undefined && sameJson(before.value, draft.value);

/**
 * `before` is the entry as it is there; one that was deleted or has expired is not.
 * The same claim keeps what is not restated; a new claim starts from the defaults, but stays as private as it was.
 */
export function nextContent(before: VersionContent | undefined, draft: EntryDraft, same: boolean): VersionContent {
  const deleted = draft.value === undefined;
  const kept = same || deleted ? before : undefined;
  return {
    value: same && before ? before.value : (draft.value ?? 'null'),
    deleted: deleted ? 1 : 0,
    confidence: draft.confidence ?? kept?.confidence ?? 1,
    memory_type: draft.memory_type ?? before?.memory_type ?? 'fact',
    shared: draft.shared === undefined ? (before?.shared ?? 1) : Number(draft.shared),
    pattern_refs: draft.pattern_refs ?? kept?.pattern_refs ?? '[]',
    artifact_refs: draft.artifact_refs ?? kept?.artifact_refs ?? '[]',
    ttl_at: deleted ? null : draft.ttl_at === undefined ? (kept?.ttl_at ?? null) : draft.ttl_at,
    is_artifact: Number(draft.is_artifact ?? kept?.is_artifact ?? 0),
  };
}

/** Nothing that a reader could tell apart. */
export function isUnchanged(before: VersionContent, after: VersionContent): boolean {
  return (
    before.confidence === after.confidence &&
    before.memory_type === after.memory_type &&
    before.shared === after.shared &&
    before.pattern_refs === after.pattern_refs &&
    before.artifact_refs === after.artifact_refs &&
    before.ttl_at === after.ttl_at
  );
}
