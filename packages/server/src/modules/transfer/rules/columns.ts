import { entityPathProblem, eventTypes, keyProblem, operations, shapes, traceShapes } from '@mem-service/contract';
import type { Row, SqlValue } from '../../../db/index.ts';

/** Describes what is wrong with a value that is not null. */
type ColumnCheck = (value: SqlValue) => string | undefined;

type ParsingSchema = { safeParse: (value: unknown) => { success: boolean; data?: unknown } };

/** The schemas of names normalise them; what is stored is normalised already. */
const follows =
  (schema: ParsingSchema, what: string): ColumnCheck =>
  (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success && parsed.data === value ? undefined : `must be ${what}`;
  };

const named =
  (problem: (text: string) => string | undefined): ColumnCheck =>
  (value) =>
    problem(String(value)) ?? (String(value).normalize('NFC') === value ? undefined : 'must be in Unicode NFC');

const oneOf = (known: readonly string[]): ColumnCheck => {
  const names = new Set(known);
  return (value) => (names.has(String(value)) ? undefined : `must be one of ${known.join(', ')}`);
};

const share: ColumnCheck = (value) =>
  Number(value) >= 0 && Number(value) <= 1 ? undefined : 'must be a number from 0 to 1';
const flag: ColumnCheck = (value) => (value === 0 || value === 1 ? undefined : 'must be 0 or 1');
const count: ColumnCheck = (value) => (Number(value) >= 0 ? undefined : 'must not be negative');

/** The years that ISO 8601 writes with four digits. */
const [EARLIEST, LATEST] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
const time: ColumnCheck = (value) =>
  Number(value) >= EARLIEST && Number(value) <= LATEST ? undefined : 'must be a time in milliseconds since 1970';

/** Empty where the service itself acted, or where everyone may see the record; a name that begins with U+001F is the service's own. */
const agent = follows(shapes.agentId, 'the name of an agent');
const agentOrNone: ColumnCheck = (value) =>
  value === '' || String(value).startsWith('\u001f') ? undefined : agent(value);

const link = operations['entries.import'].input.shape.links.unwrap().element.shape;
const nodeType = oneOf(link.source_type.unwrap().options);

/** Columns mean the same in every table, so one rule for each name is enough. */
const checks: Readonly<Record<string, ColumnCheck>> = {
  entity_path: named(entityPathProblem),
  key: named(keyProblem),
  branch: follows(shapes.branch, 'the name of a branch'),
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
  ...perName(['entry_id', 'version', 'read_version', 'standing_no', 'recall_count', 'n_causal', 'seq', 'no'], count),
  ...perName(['evidence_success', 'evidence_failure', 'evidence_count', 'entry_count', 'sequence', 'days'], count),
  ...perName(['written_at', 'ttl_at', 'created_at', 'committed_at', 'updated_at', 'opened_at', 'last_at'], time),
  ...perName(['first_at', 'first_seen', 'last_seen', 'at'], time),
  event_type: oneOf(eventTypes),
  outcome_type: oneOf(traceShapes.outcomeTypes),
  evidence_status: oneOf(shapes.entry.shape.evidence_status.options),
  source_type: nodeType,
  target_type: nodeType,
  relation: follows(link.relation, 'the name of a relation'),
};

function perName(names: readonly string[], check: ColumnCheck): Record<string, ColumnCheck> {
  return Object.fromEntries(names.map((name) => [name, check]));
}

/** What was asked for is noted as it was given: a path there may be a glob, or no path at all. */
const AS_GIVEN = new Set<SqlValue>(['query', 'error']);

/** The types of lines in the ledger that no outcome wrote. */
const OTHER_LINES: Readonly<Record<string, readonly SqlValue[]>> = {
  consolidation: ['demoted'],
  verdict: ['pass', 'fail', 'withdrawn'],
};

const isOtherLine = (name: string, { model, outcome_type }: Row): boolean =>
  name === 'outcome_type' && (OTHER_LINES[String(model)]?.includes(outcome_type ?? null) ?? false);

/** Describes what the contract does not allow in a column of the row; undefined where all is well. */
export function columnProblem(name: string, row: Row): string | undefined {
  const value = row[name] ?? null;
  if (value === null || (name === 'entity_path' && AS_GIVEN.has(row.kind ?? null))) return undefined;
  if (isOtherLine(name, row)) return undefined;
  return checks[name]?.(value);
}
