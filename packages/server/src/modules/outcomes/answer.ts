import type { Output } from '@mem-service/contract';
import { sessionIdOf, toIso } from '../../kernel/index.ts';
import type * as queries from '../ledger/index.ts';
import type { NamedHit, ShownNumbers, StaleRead } from '../sessions/index.ts';
import { adviceOf } from './rules/advice.ts';
import { formatCause } from './rules/causes.ts';
import { OWN_ENTRY } from './rules/story.ts';

export type AffectedEntry = Output<'outcomes.commit'>['entries'][number];

/** The part of an outcome that is stored to be shown again. */
export type OutcomeDocument = {
  decision_summary: string | null;
  final_action_index: number | null;
  attributes: Record<string, unknown>;
  immutable_trace_id: string | null;
  /** Why causes may be missing; omitted where none are. */
  causes_incomplete_because?: string;
  /** What its searches had shown the session, where nothing was credited: a later commit may name what it used. */
  shown?: ShownNumbers;
};

/** Fields of the first answer only: they name entries, and names must not be stored where they cannot be erased. */
export type FirstAnswer = {
  /** What its searches showed the session, where it named nothing of it. */
  shown: readonly NamedHit[];
  duplicate: boolean;
  stale_reads: StaleRead[];
  lesson: { entity_path: string; key: string; version: number } | null;
};

export const documentOf = (row: queries.OutcomeRow) => JSON.parse(row.document) as OutcomeDocument;

export function toOutcome(row: queries.OutcomeRow, document = documentOf(row)) {
  const { decision_summary, final_action_index, attributes, causes_incomplete_because } = document;
  return {
    outcome_id: row.outcome_id,
    outcome_ref: row.outcome_ref,
    outcome_type: row.outcome_type,
    causal_confidence: row.causal_confidence,
    agent_id: row.agent_id,
    session_id: sessionIdOf(row.session),
    branch: row.branch,
    decision_summary,
    final_action_index,
    attributes,
    is_evidence: row.is_evidence === 1,
    causes_complete: causes_incomplete_because === undefined,
    causes_incomplete_because: causes_incomplete_because ?? null,
    trace_id: row.trace_id,
    committed_at: toIso(row.committed_at),
    seq: row.seq,
  };
}

export function toCommitted(
  { row, document }: { row: queries.OutcomeRow; document: OutcomeDocument },
  evidence: readonly queries.EvidenceRow[],
  { duplicate, stale_reads, lesson, shown }: FirstAnswer,
): Output<'outcomes.commit'> {
  const moved = new Set(evidence.filter((line) => line.applied === 1).map((line) => line.entry_id));
  const because = document.causes_incomplete_because;
  return Object.assign(toOutcome(row, document), {
    advice: adviceOf({ lines: evidence, shown: shown.map(formatCause), because }),
    duplicate,
    affected_entries: moved.size,
    entries: evidence.map((line) => toAffected(line, row.causal_confidence)),
    stale_reads,
    immutable_trace_id: document.immutable_trace_id,
    lesson,
  });
}

export const toAffected = (line: queries.EvidenceRow, stated_confidence: number): AffectedEntry => ({
  entity_path: line.entity_path ?? '',
  key: line.key ?? '',
  branch: line.branch,
  attempt: line.attempt,
  outcome_type: line.outcome_type,
  read_version: line.read_version,
  version: line.version,
  applied: line.applied === 1,
  reason: line.reason,
  confidence_before: line.confidence_before,
  confidence_after: line.confidence_after,
  evidence_status: line.evidence_status as AffectedEntry['evidence_status'],
  weight: line.weight,
  why: whyOf(line, stated_confidence),
});

const REASONS: Record<string, string> = {
  value_changed: 'not credited: the entry says something else than what was read',
  not_found: 'not credited: there is no such entry',
  replayed: 'not credited: a replay is no evidence',
};

function whyOf(line: queries.EvidenceRow, stated_confidence: number): string {
  if (line.applied === 0) return REASONS[line.reason ?? ''] ?? 'not credited';
  const { confidence_before: before, confidence_after: after, weight, n_causal } = line;
  const what = `${line.outcome_type.replaceAll('_', ' ')}${line.attempt === null ? '' : ` of attempt ${line.attempt}`}`;
  const shared = n_causal > 1 ? `, one of ${n_causal} causes` : '';
  const own = line.causal_confidence < stated_confidence ? `, ${OWN_ENTRY}` : '';
  return `${what} (weight ${(weight ?? 0).toFixed(2)}${shared}${own}): ${before?.toFixed(2)} -> ${after?.toFixed(2)}`;
}
