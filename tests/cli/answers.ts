import { type OperationName, operations } from '@mem-service/contract';
import { expect } from 'vitest';
import { readAnswer, render, type Screen } from '../../packages/server/src/cli/render/index.ts';

export const plain: Screen = { width: undefined, colour: false };
export const terminal = (width: number): Screen => ({ width, colour: false });

/** What people see of an answer, which must be one that the service could give. */
export function shown(name: OperationName, answer: object, screen = plain): string {
  expect(operations[name].output.safeParse(answer).error).toBeUndefined();
  return render(name, readAnswer(name, JSON.stringify(answer)), screen).out;
}

export const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join('');

export const AT = '2026-01-31T12:00:00.000Z';
export const page = { next_cursor: null, has_more: false };
const where = { entity_path: 'svc', branch: 'main' };

export const reading = (key: string, more: object = {}) => ({
  ...where,
  key,
  version: 1,
  value: { max: 5 },
  confidence: 0.7,
  memory_type: 'fact',
  evidence_status: 'untested',
  success_count: 0,
  failure_count: 0,
  written_by: 'bob',
  attempt: 0,
  read_at: AT,
  duration_ms: 0.4,
  ...more,
});

export const stale = (key: string, more: object = {}) => ({
  ...where,
  key,
  read_version: 1,
  current_version: 3,
  changed_by: 'bob',
  value_changed: true,
  ...more,
});

export const action = (tool_name: string, more: object = {}) => ({
  tool_name,
  arguments: {},
  result_summary: '',
  result_hash: '',
  started_at: AT,
  duration_ms: 0,
  source: null,
  success: true,
  ...more,
});

export const llmCall = (model: string, cost_usd: number | null, more: object = {}) => ({
  call_id: 'c',
  model,
  provider: '',
  input_tokens: 1200,
  output_tokens: 300,
  cost_usd,
  latency_ms: null,
  started_at: AT,
  ...more,
});

export const span = (span_id: string, parent_span_id: string | null, more: object = {}) => ({
  span_id,
  parent_span_id,
  name: span_id,
  kind: 'agent',
  status: 'ok',
  started_at: AT,
  ...more,
});

/** The parts of a session in which nothing happened. */
export const quiet = {
  causal_entries: [] as object[],
  external_contexts: [] as object[],
  query_events: [] as object[],
  error_events: [] as object[],
  tool_calls: [] as object[],
  attempts: [] as object[],
};

export const explanation = (more: object = {}) => ({
  status: 'open',
  trace_id: null,
  outcome_ref: null,
  outcome_type: null,
  agent_id: 'a',
  session_id: null,
  causal_chain_length: 0,
  ...quiet,
  llm_calls: [],
  spans: [],
  attributes: {},
  stale_reads: [],
  session_started_at: AT,
  truncated: false,
  causes_complete: true,
  causes_incomplete_because: null,
  ...more,
});

const HASH = `2928c29e1ab2${'0'.repeat(52)}`;

export const trace = (trace_id: string, more: object = {}) => ({
  id: trace_id,
  trace_id,
  causes_complete: true,
  causes_incomplete_because: null,
  immutable_trace_id: HASH,
  agent_id: 'a',
  session_id: null,
  branch: 'main',
  outcome_ref: null,
  outcome_type: null,
  decision_summary: null,
  task_input: null,
  response_text: null,
  ...quiet,
  state_diff: { entries_created: 0, entries_updated: 0, confidence_changes: [] },
  attributes: {},
  session_metadata: { attributes: {}, llm_calls: [], spans: [] },
  total_llm_calls: 0,
  total_tokens: 0,
  total_cost_usd: null,
  known_cost_usd: null,
  session_started_at: null,
  session_ended_at: AT,
  session_duration_ms: null,
  created_at: AT,
  sequence: 1,
  parent_hash: null,
  hash: HASH,
  signature: null,
  key_id: null,
  truncated: false,
  seq: 5,
  ...more,
});

const outcome = (more: object = {}) => ({
  causes_complete: true,
  causes_incomplete_because: null,
  outcome_id: 'o',
  outcome_ref: 'deploy-1',
  outcome_type: 'success',
  causal_confidence: 1,
  agent_id: 'a',
  session_id: null,
  branch: 'main',
  decision_summary: null,
  final_action_index: null,
  attributes: {},
  is_evidence: true,
  trace_id: '01m7f0zw5dt71jf94f6bp47fve',
  committed_at: AT,
  seq: 5,
  entries: [] as object[],
  ...more,
});
export const listedOutcome = outcome;

export const committedOutcome = (more: object = {}) => ({
  ...outcome(),
  advice: null,
  duplicate: false,
  affected_entries: 0,
  stale_reads: [],
  immutable_trace_id: HASH,
  lesson: null,
  ...more,
});

export const affected = (key: string, more: object = {}) => ({
  ...where,
  key,
  attempt: null,
  outcome_type: 'success',
  read_version: 1,
  version: 1,
  applied: true,
  reason: null,
  confidence_before: 0.7,
  confidence_after: 0.8181818181818182,
  evidence_status: 'validated',
  weight: 1,
  why: 'success (weight 1.00): 0.70 -> 0.82',
  ...more,
});
