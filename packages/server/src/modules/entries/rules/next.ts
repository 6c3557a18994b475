import { shapes } from '@mem-service/contract';
import type { EntryRow, VersionContent } from '../rows.ts';
import { sameJson } from './diff.ts';
import { isQuarantined } from './state.ts';

/** A requested change of one entry. `nextContent` decides whether an omitted field keeps its value or takes a default. */
export type EntryDraft = {
  branch: string;
  entity_path: string;
  key: string;
  agent_id: string;
  session_id: string | null;
  /** The session's internal name. */
  session?: string | undefined;
  /** `undefined` deletes. */
  value: string | undefined;
  /** The parsed value, where it was parsed before. */
  parsed?: unknown;
  /** Says whether two values are the same, where they were compared before. */
  compared?: ((before: string, value: string) => boolean) | undefined;
  confidence?: number | undefined;
  memory_type?: string | undefined;
  /** Instead of the defaults of the service. */
  defaults?: { confidence: number; memory_type: string } | undefined;
  shared?: boolean | undefined;
  pattern_refs?: string | undefined;
  artifact_refs?: string | undefined;
  ttl_at?: number | null | undefined;
  is_artifact?: boolean | undefined;
  if_version?: number | undefined;
  if_exists?: boolean | undefined;
  commit_id?: string | undefined;
  /** The event from outside that it is written for, as JSON. */
  event?: string | undefined;
  /** When it was written elsewhere; never earlier than the version that is replaced. */
  written_at?: number | undefined;
};

type LivenessColumns = Pick<EntryRow, 'deleted' | 'ttl_at'>;

export const isLive = <T extends LivenessColumns>(row: T | undefined, now: number): row is T =>
  row !== undefined && row.deleted === 0 && (row.ttl_at === null || row.ttl_at > now);

/** Like `isLive`, for a view that may also show what is under quarantine. */
export const isShown = <T extends LivenessColumns>(
  row: T | undefined,
  { at, with_quarantined }: { at: number; with_quarantined?: true },
): row is T => isLive(with_quarantined && isQuarantined(row) ? ({ ...row, deleted: 0 } as T) : row, at);

export const mayAgentSee = (row: Pick<EntryRow, 'shared' | 'agent_id'>, agentId: string): boolean =>
  row.shared === 1 || row.agent_id === agentId;

/** Whether a draft repeats the value of the entry. */
export const isSameStatement = (before: VersionContent | undefined, draft: EntryDraft): boolean =>
  before !== undefined && draft.value !== undefined && (draft.compared ?? sameJson)(before.value, draft.value);

/**
 * `before` is the live entry, undefined if it was deleted or has expired. The same value keeps the fields that the draft
 * omits; a new value starts from the defaults, but stays as private as it was.
 */
export function nextContent(before: VersionContent | undefined, draft: EntryDraft, same: boolean): VersionContent {
  const deleted = draft.value === undefined;
  const kept = same || deleted ? before : undefined;
  return {
    value: same && before ? before.value : (draft.value ?? 'null'),
    deleted: deleted ? 1 : 0,
    confidence: draft.confidence ?? kept?.confidence ?? draft.defaults?.confidence ?? shapes.DEFAULT_CONFIDENCE,
    memory_type: draft.memory_type ?? before?.memory_type ?? draft.defaults?.memory_type ?? 'fact',
    shared: draft.shared === undefined ? (before?.shared ?? 1) : Number(draft.shared),
    pattern_refs: draft.pattern_refs ?? kept?.pattern_refs ?? '[]',
    artifact_refs: draft.artifact_refs ?? kept?.artifact_refs ?? '[]',
    ttl_at: deleted ? null : draft.ttl_at === undefined ? (kept?.ttl_at ?? null) : draft.ttl_at,
    is_artifact: Number(draft.is_artifact ?? kept?.is_artifact ?? 0),
  };
}

/** Whether no reader could see a difference. */
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
