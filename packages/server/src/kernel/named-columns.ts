import { entityPathProblem, eventTypes, keyProblem, operations, shapes, traceShapes } from '@mem-service/contract';
import { asStored, branchName, flag, named, notNegative, oneOf, share, time } from './column-values.ts';

type NamedCheck = (value: unknown) => string | undefined;

/** Empty where the service itself acted, or where everyone may see the record; a name that begins with U+001F is the service's own. */
const agent = asStored(shapes.agentId, 'the name of an agent');
const agentOrNone: NamedCheck = (value) =>
  value === '' || String(value).startsWith('\u001f') ? undefined : agent(value);

const link = operations['entries.import'].input.shape.links.unwrap().element.shape;
const nodeType = oneOf(link.source_type.unwrap().options);

/** Columns mean the same in every table, so one rule for each name is enough. */
const checks: Readonly<Record<string, NamedCheck>> = {
  entity_path: named(entityPathProblem),
  key: named(keyProblem),
  ...perName(['branch', 'read_branch'], branchName),
  agent_id: agentOrNone,
  visible_to: agentOrNone,
  written_by: agentOrNone,
  actor_agent_id: agentOrNone,
  last_agent: agentOrNone,
  changed_by: agentOrNone,
  ...perName(['confidence', 'causal_confidence', 'confidence_before', 'confidence_after'], share),
  ...perName(
    ['deleted', 'shared', 'success', 'applied', 'is_evidence', 'truncated', 'in_ledger', 'value_changed'],
    flag,
  ),
  ...perName(
    ['entry_id', 'version', 'read_version', 'standing_no', 'recall_count', 'n_causal', 'seq', 'no'],
    notNegative,
  ),
  ...perName(
    ['evidence_success', 'evidence_failure', 'evidence_count', 'entry_count', 'sequence', 'days'],
    notNegative,
  ),
  ...perName(['written_at', 'ttl_at', 'created_at', 'committed_at', 'updated_at', 'opened_at', 'last_at'], time),
  ...perName(['first_at', 'first_seen', 'last_seen', 'at'], time),
  memory_type: oneOf(shapes.memoryType.options),
  event_type: oneOf(eventTypes),
  outcome_type: oneOf(traceShapes.outcomeTypes),
  evidence_status: oneOf(shapes.entry.shape.evidence_status.options),
  source_type: nodeType,
  target_type: nodeType,
  relation: asStored(link.relation, 'the name of a relation'),
};

function perName(names: readonly string[], check: NamedCheck): Record<string, NamedCheck> {
  return Object.fromEntries(names.map((name) => [name, check]));
}

/** What a column may hold by its name, the same in every table, and as one that holds the name of an agent. */
export const namedCheck = (name: string, isAgent: boolean): NamedCheck | undefined =>
  checks[name] ?? (isAgent ? agentOrNone : undefined);
