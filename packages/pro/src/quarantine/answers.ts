import { isQuarantined, type Output, toIso, toIsoOrNull } from '@mem-service/server/module';
import type { QuarantineRow } from './queries.ts';
import type { RestingDecision, TracedEntry } from './search.ts';

export const toQuarantine = (row: QuarantineRow): Output<'quarantine.undo'> => ({
  quarantine_id: row.quarantine_id,
  reason: row.reason,
  status: row.undone_seq === null ? 'active' : 'undone',
  entries: row.entry_count,
  hidden: row.hidden_count,
  decisions: row.decision_count,
  complete: row.is_complete === 1,
  agent_id: row.agent_id,
  created_at: toIso(row.created_at),
  created_seq: row.created_seq,
  undone_by: row.undone_by,
  undone_at: toIsoOrNull(row.undone_at),
});

export function toFound(entry: TracedEntry): Output<'quarantine.trace'>['entries'][number] {
  const { branch, entity_path, key, version, agent_id, depth } = entry;
  const mark = isQuarantined(entry) ? { quarantined: true as const } : {};
  return { branch, entity_path, key, version, agent_id, depth, ...mark };
}

export function toDecision(decision: RestingDecision): Output<'quarantine.trace'>['decisions'][number] {
  const { seq, trace_id, outcome_ref, outcome_type, agent_id, branch, created_at, depth } = decision;
  return { seq, trace_id, outcome_ref, outcome_type, agent_id, branch, decided_at: toIso(created_at), depth };
}
