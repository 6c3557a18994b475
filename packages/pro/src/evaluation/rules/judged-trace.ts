import { sumUsd } from './usd.ts';

/** Something that the agent did with a tool, or a model that it asked, in order. */
export type JudgedStep = {
  kind: 'tool' | 'llm';
  name: string;
  succeeded: boolean;
  /** Where a span recorded it. */
  span_id: string | null;
  /** Milliseconds; null where it is not known. */
  at: number | null;
};

/** An entry that was read, in the version that was. */
export type JudgedRead = {
  entry_id: number;
  branch: string;
  entity_path: string;
  key: string;
  version: number;
  written_by: string;
  /** Milliseconds; null where it is not known. */
  at: number | null;
};

export type JudgedSpan = {
  span_id: string;
  name: string;
  kind: string;
  status: string;
  error: string | null;
  /** When it began; null where it is not known. */
  at: number | null;
};

/**
 * All that a judge may look at. It holds what every agent that sees the trace may see: reads of private entries are in it
 * only where the whole trace is private.
 */
export type JudgedTrace = {
  trace_id: string;
  seq: number;
  agent_id: string;
  branch: string;
  visible_to: string;
  outcome_ref: string | null;
  outcome_type: string | null;
  created_at: number;
  /** Null where it is not known. */
  duration_ms: number | null;
  total_cost_usd: number | null;
  known_cost_usd: number | null;
  total_tokens: number;
  steps: readonly JudgedStep[];
  reads: readonly JudgedRead[];
  spans: readonly JudgedSpan[];
  /** The trace as `traces.read` shows it, without the values of entries; a JSON path leads into it. */
  document: JudgedDocument;
  /** Too large to be looked at whole. */
  is_partial: boolean;
};

export type RecordedPart = Readonly<Record<string, unknown>>;

export type JudgedDocument = {
  trace_id: string;
  agent_id: string;
  branch: string;
  outcome_ref: string | null;
  outcome_type: string | null;
  task_input: string | null;
  response_text: string | null;
  decision_summary: string | null;
  attributes: Readonly<Record<string, unknown>>;
  tool_calls: readonly RecordedPart[];
  causal_entries: readonly RecordedPart[];
  external_contexts: readonly RecordedPart[];
  query_events: readonly RecordedPart[];
  error_events: readonly RecordedPart[];
  attempts: readonly RecordedPart[];
  session_metadata: Readonly<Record<string, unknown>>;
  total_llm_calls: number;
  total_tokens: number;
  total_cost_usd: number | null;
  session_duration_ms: number | null;
};

/** A part as it is stored. */
export type StoredPart = {
  kind: string;
  visible_to: string;
  entity_path: string | null;
  key: string | null;
  entry_id: number | null;
  data: RecordedPart;
};

export type StoredTrace = {
  trace_id: string;
  seq: number;
  agent_id: string;
  branch: string;
  visible_to: string;
  outcome_ref: string | null;
  outcome_type: string | null;
  created_at: number;
  header: {
    task_input: string | null;
    response_text: string | null;
    decision_summary: string | null;
    attributes: Record<string, unknown>;
    session_metadata: Record<string, unknown>;
    session_started_at: number | null;
    session_ended_at: number;
  };
  parts: readonly StoredPart[];
  is_partial: boolean;
};

/** What a judge sees of a sealed trace. */
export function judgedTraceOf(stored: StoredTrace): JudgedTrace {
  const { header, parts: _, is_partial, ...facts } = stored;
  const seen = stored.parts.filter(({ visible_to }) => visible_to === '' || visible_to === stored.visible_to);
  const of = (kind: string) => seen.filter((part) => part.kind === kind).map(({ data }) => data);
  const spans = mergedSpans(of('span'));
  const calls = of('llm_call');
  const actions = of('action');
  const { task_input, response_text, decision_summary, attributes, session_metadata } = header;
  const { session_started_at, session_ended_at } = header;
  const duration_ms = session_started_at === null ? null : Math.max(0, session_ended_at - session_started_at);
  const totals = totalsOf(calls);
  const reads = seen.flatMap(readOf);
  const { trace_id, agent_id, branch, outcome_ref, outcome_type } = stored;
  const document: JudgedDocument = {
    ...{ trace_id, agent_id, branch, outcome_ref, outcome_type },
    ...{ task_input, response_text, decision_summary, attributes },
    tool_calls: actions,
    causal_entries: reads.map(({ entry_id: _, at: __, ...read }) => read),
    external_contexts: of('context'),
    query_events: of('query'),
    error_events: of('error'),
    attempts: of('attempt'),
    session_metadata: { ...session_metadata, attributes, llm_calls: calls, spans },
    total_llm_calls: calls.length,
    total_tokens: totals.total_tokens,
    total_cost_usd: totals.total_cost_usd,
    session_duration_ms: duration_ms,
  };
  const steps = stepsOf({ actions, calls, spans });
  return { ...facts, ...totals, duration_ms, steps, reads, spans: spans.map(spanOf), document, is_partial };
}

function readOf({ kind, entity_path, key, entry_id, data }: StoredPart): JudgedRead[] {
  if (kind !== 'read' || entity_path === null || key === null || entry_id === null) return [];
  const { branch, version, written_by, read_at } = data;
  return [
    {
      ...{ entry_id, entity_path, key },
      branch: String(branch ?? 'main'),
      version: Number(version),
      written_by: String(written_by ?? ''),
      at: timeOf(read_at),
    },
  ];
}

/** A span may be recorded in several parts: later members win. */
function mergedSpans(parts: readonly RecordedPart[]): RecordedPart[] {
  const merged = new Map<string, RecordedPart>();
  for (const part of parts) {
    const id = String(part.span_id);
    merged.set(id, { ...merged.get(id), ...part });
  }
  return [...merged.values()];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const spanOf = (span: RecordedPart): JudgedSpan => ({
  span_id: String(span.span_id),
  name: textOf(span.name) ?? '',
  kind: textOf(span.kind) ?? 'agent',
  status: textOf(span.status) ?? 'ok',
  error: textOf(span.error),
  at: timeOf(span.started_at),
});

function totalsOf(calls: readonly RecordedPart[]) {
  const costs = calls.flatMap(({ cost_usd }) => (typeof cost_usd === 'number' ? [cost_usd] : []));
  const known = costs.length === 0 ? null : sumUsd(costs);
  const tokens = (name: string) => calls.reduce((sum, call) => sum + (Number(call[name]) || 0), 0);
  return {
    total_tokens: tokens('input_tokens') + tokens('output_tokens'),
    total_cost_usd: costs.length === calls.length ? known : null,
    known_cost_usd: known,
  };
}

type Recorded = { actions: readonly RecordedPart[]; calls: readonly RecordedPart[]; spans: readonly RecordedPart[] };

/**
 * Tools and models in the order of their start. A tool is recorded as an action or as a span, and often as both: a span
 * counts where no action has its name. The same holds for models.
 */
function stepsOf({ actions, calls, spans }: Recorded): JudgedStep[] {
  const acted = new Set(actions.map(({ tool_name }) => String(tool_name)));
  const called = new Set(calls.map(({ call_id }) => String(call_id)));
  const toolSpans = new Map(
    spans
      .filter(({ kind }) => kind === 'tool')
      .map(({ name, span_id }) => [name, String(span_id)] as const)
      .reverse(),
  );
  const tools = actions.map((action): JudgedStep => {
    const name = String(action.tool_name);
    return {
      ...{ kind: 'tool', name },
      succeeded: action.success !== false,
      span_id: toolSpans.get(name) ?? null,
      at: timeOf(action.started_at ?? action.recorded_at),
    };
  });
  const models = calls.map(
    ({ model, call_id, error, started_at }): JudgedStep => ({
      ...{ kind: 'llm', name: String(model) },
      succeeded: error === undefined || error === null,
      span_id: String(call_id),
      at: timeOf(started_at),
    }),
  );
  const others = spans.flatMap((span): JudgedStep[] => {
    const { span_id, kind, name } = span;
    const isTool = kind === 'tool' && !acted.has(String(name));
    const isModel = kind === 'llm' && !called.has(String(span_id)) && calls.length === 0;
    if (!isTool && !isModel) return [];
    const step = { span_id: String(span_id), succeeded: span.status !== 'error', at: timeOf(span.started_at) };
    return [{ kind: isTool ? 'tool' : 'llm', name: String(isTool ? name : (span.model ?? name)), ...step }];
  });
  return inOrder([...tools, ...models, ...others]);
}

const timeOf = (value: unknown): number | null => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};

/** By time where all have one; else as they were recorded. */
export function inOrder<T extends { at: number | null }>(steps: readonly T[]): T[] {
  if (steps.some(({ at }) => at === null)) return [...steps];
  return steps
    .map((step, no) => ({ step, no }))
    .sort((a, b) => (a.step.at ?? 0) - (b.step.at ?? 0) || a.no - b.no)
    .map(({ step }) => step);
}
