import type { EntryRow, VersionRow } from '../rows.ts';
import { sameJson } from './diff.ts';

/** A wish to change one entry. What is left out keeps or takes the default that `content` says. */
export type Draft = {
  branch: string;
  entity_path: string;
  key: string;
  agent_id: string;
  session_id: string | null;
  /** `undefined` deletes. */
  value: string | undefined;
  confidence?: number | undefined;
  memory_type?: string | undefined;
  shared?: boolean | undefined;
  pattern_refs?: string | undefined;
  artifact_refs?: string | undefined;
  ttl_at?: number | null | undefined;
  is_artifact?: boolean | undefined;
  if_version?: number | undefined;
  commit_id?: string | undefined;
};

export type Content = Pick<
  VersionRow,
  | 'value'
  | 'deleted'
  | 'confidence'
  | 'memory_type'
  | 'shared'
  | 'pattern_refs'
  | 'artifact_refs'
  | 'ttl_at'
  | 'is_artifact'
>;

export const isLive = (row: Pick<EntryRow, 'deleted' | 'ttl_at'> | undefined, now: number): boolean =>
  row !== undefined && row.deleted === 0 && (row.ttl_at === null || row.ttl_at > now);

export const mayAgentSee = (row: Pick<VersionRow, 'shared' | 'agent_id'>, agentId: string): boolean =>
  row.shared === 1 || row.agent_id === agentId;

/** The same claim keeps what is not restated; a new claim starts from the defaults, but stays as private as it was. */
export function content(before: EntryRow | undefined, draft: Draft): Content {
  const deleted = draft.value === undefined;
  const value = draft.value ?? 'null';
  const same = before !== undefined && before.deleted === 0 && !deleted && sameJson(before.value, value);
  const kept = same || (deleted && before !== undefined) ? before : undefined;
  return {
    value: same ? before.value : value,
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
export function isUnchanged(before: EntryRow | undefined, after: Content): boolean {
  if (before === undefined || before.deleted === 1 || after.deleted === 1) return false;
  return (
    before.value === after.value &&
    before.confidence === after.confidence &&
    before.memory_type === after.memory_type &&
    before.shared === after.shared &&
    before.pattern_refs === after.pattern_refs &&
    before.artifact_refs === after.artifact_refs &&
    before.ttl_at === after.ttl_at
  );
}

type Standing = Omit<EntryRow, keyof VersionRow>;

/** Evidence belongs to a claim: the same value keeps it, another value starts untested. Recalls count for the entry. */
export function standing(before: EntryRow | undefined, after: Content): Standing {
  const same = before !== undefined && before.deleted === 0 && before.value === after.value;
  return {
    prior_confidence: same ? before.prior_confidence : null,
    outcome_count: same ? before.outcome_count : 0,
    success_count: same ? before.success_count : 0,
    failure_count: same ? before.failure_count : 0,
    evidence_success: same ? before.evidence_success : 0,
    evidence_failure: same ? before.evidence_failure : 0,
    last_outcome: same ? before.last_outcome : null,
    last_outcome_at: same ? before.last_outcome_at : null,
    discredited_at: same ? before.discredited_at : null,
    validators: same ? before.validators : '[]',
    recall_count: before?.recall_count ?? 0,
    tier: before?.tier ?? 3,
    priority_score: before?.priority_score ?? null,
    importance_score: same ? before.importance_score : null,
    importance_dimensions: same ? before.importance_dimensions : null,
  };
}
