import { createHash } from 'node:crypto';
import { JsonText, type Output } from '@mem-service/contract';
import type { ColumnType } from '../../db/index.ts';
import { toIso, toIsoOrNull } from '../../kernel/index.ts';
import { evidenceStatus } from './rules/evidence.ts';

export type VersionRow = {
  account_id: string;
  branch: string;
  entity_path: string;
  key: string;
  version: number;
  seq: number;
  deleted: number;
  value: string;
  memory_type: string;
  confidence: number;
  shared: number;
  agent_id: string;
  session_id: string | null;
  written_at: number;
  ttl_at: number | null;
  pattern_refs: string;
  artifact_refs: string;
  is_artifact: number;
  content_hash: string;
  integrity_chain: string;
  commit_id: string | null;
};

export type EntryRow = VersionRow & {
  prior_confidence: number | null;
  outcome_count: number;
  success_count: number;
  failure_count: number;
  evidence_success: number;
  evidence_failure: number;
  last_outcome: string | null;
  last_outcome_at: number | null;
  discredited_at: number | null;
  validators: string;
  recall_count: number;
  tier: number;
  priority_score: number | null;
  importance_score: number | null;
  importance_dimensions: string | null;
};

export const versionColumns: Record<keyof VersionRow, ColumnType> = {
  account_id: 'text',
  branch: 'text',
  entity_path: 'text',
  key: 'text',
  version: 'int',
  seq: 'int',
  deleted: 'int',
  value: 'text',
  memory_type: 'text',
  confidence: 'real',
  shared: 'int',
  agent_id: 'text',
  session_id: 'text',
  written_at: 'int',
  ttl_at: 'int',
  pattern_refs: 'text',
  artifact_refs: 'text',
  is_artifact: 'int',
  content_hash: 'text',
  integrity_chain: 'text',
  commit_id: 'text',
};

export const entryColumns: Record<keyof EntryRow, ColumnType> = {
  ...versionColumns,
  prior_confidence: 'real',
  outcome_count: 'int',
  success_count: 'int',
  failure_count: 'int',
  evidence_success: 'real',
  evidence_failure: 'real',
  last_outcome: 'text',
  last_outcome_at: 'int',
  discredited_at: 'int',
  validators: 'text',
  recall_count: 'int',
  tier: 'int',
  priority_score: 'real',
  importance_score: 'real',
  importance_dimensions: 'text',
};

type Json<T> = T & JsonText;
/** Columns that hold JSON go out as the text they are. */
const json = <T>(text: string): Json<T> => new JsonText(text) as Json<T>;

function content(row: VersionRow) {
  return {
    entity_path: row.entity_path,
    key: row.key,
    branch: row.branch,
    version: row.version,
    value: json<unknown>(row.value),
    confidence: row.confidence,
    memory_type: row.memory_type as 'fact',
    shared: row.shared === 1,
    provenance: {
      agent_id: row.agent_id,
      session_id: row.session_id,
      written_at: toIso(row.written_at),
      pattern_refs: json<string[]>(row.pattern_refs),
    },
    ttl_at: toIsoOrNull(row.ttl_at),
    artifact_refs: json<[]>(row.artifact_refs),
    is_artifact: row.is_artifact === 1,
    content_hash: row.content_hash,
    integrity_chain: row.integrity_chain,
    commit_id: row.commit_id,
    seq: row.seq,
  };
}

export type Entry = Exclude<Output<'entries.read'>, { deleted: boolean }>;
export type EntryVersion = Output<'entries.delete'>;

export function toVersion(row: VersionRow): EntryVersion {
  return { ...content(row), deleted: row.deleted === 1 };
}

export function toEntry(row: EntryRow): Entry {
  return {
    ...content(row),
    outcome_count: row.outcome_count,
    success_count: row.success_count,
    failure_count: row.failure_count,
    evidence_success: row.evidence_success,
    evidence_failure: row.evidence_failure,
    prior_confidence: row.prior_confidence,
    last_outcome: row.last_outcome,
    last_outcome_at: toIsoOrNull(row.last_outcome_at),
    discredited_at: toIsoOrNull(row.discredited_at),
    validators: json<string[]>(row.validators),
    evidence_status: evidenceStatus(row),
    recall_count: row.recall_count,
    tier: row.tier,
    priority_score: row.priority_score,
    importance_score: row.importance_score,
    importance_dimensions:
      row.importance_dimensions === null ? null : json<Record<string, number>>(row.importance_dimensions),
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const contentHash = (value: string): string => sha256(value);

/** Ties a version to the one before it and to everything that was written with it. */
export function chainHash(row: VersionRow, previousChain: string): string {
  const written = [
    row.version,
    row.deleted,
    row.memory_type,
    row.confidence,
    row.shared,
    row.agent_id,
    row.session_id,
    row.written_at,
    row.ttl_at,
    row.pattern_refs,
    row.artifact_refs,
    row.commit_id,
  ];
  return sha256(`${previousChain}\n${row.content_hash}\n${JSON.stringify(written)}`);
}
