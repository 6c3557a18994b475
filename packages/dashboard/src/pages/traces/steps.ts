import type { Output } from '../../data/client.ts';
import { traces } from '../../texts/traces.ts';

export type WholeTrace = Output<'traces.read'>;
export type CausalEntry = WholeTrace['causal_entries'][number];
type RecordedStep = WholeTrace['session_metadata']['spans'][number];
type RecordedCall = WholeTrace['session_metadata']['llm_calls'][number];

/** What a step was recorded as. */
export type StepRecord =
  | { kind: 'root' }
  | { kind: 'attempt'; attempt: WholeTrace['attempts'][number] | undefined }
  | { kind: 'read'; read: CausalEntry }
  | { kind: 'query'; query: WholeTrace['query_events'][number] }
  | { kind: 'tool'; call: WholeTrace['tool_calls'][number] }
  | { kind: 'llm'; call: RecordedCall; span: RecordedStep | undefined }
  | { kind: 'span' | 'write'; span: RecordedStep }
  | { kind: 'error'; error: WholeTrace['error_events'][number] }
  | { kind: 'context'; context: WholeTrace['external_contexts'][number] }
  | { kind: 'outcome' };

export type StepKind = StepRecord['kind'];

export type TraceStep = {
  id: string;
  of: StepRecord;
  name: string;
  note: string;
  /** When it began, in ms since 1970; undefined where that was not recorded. */
  at: number | undefined;
  ms: number | undefined;
  tokens: number | undefined;
  cost: number | null | undefined;
  /** What stands at the end of its row: a version, how many were found. */
  result: string;
  isFailed: boolean;
  below: TraceStep[];
};

export type TraceSteps = { root: TraceStep; from: number; to: number; untimed: number; count: number };

const texts = traces.one;
const timeOf = (text: string | null | undefined): number | undefined => {
  const time = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

function step(
  of: StepRecord,
  [id, name]: readonly [string, string],
  more: Partial<Omit<TraceStep, 'id' | 'of' | 'name'>>,
): TraceStep {
  const none = { at: undefined, ms: undefined, tokens: undefined, cost: undefined };
  return { id, of, name, note: '', result: '', isFailed: false, below: [], ...none, ...more };
}

/** What happened in a session, as a tree: attempts where some were given up, and spans with what they hold. */
export function stepsOf(trace: WholeTrace): TraceSteps {
  const own = [
    ...readsOf(trace),
    ...queriesOf(trace),
    ...toolsOf(trace),
    ...spansOf(trace),
    ...errorsOf(trace),
    ...contextsOf(trace),
  ];
  const all = own.flatMap(withBelow);
  const starts = all.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const ends = all.flatMap(({ at, ms }) => (at === undefined ? [] : [at + (ms ?? 0)]));
  const ended = Date.parse(trace.session_ended_at);
  const from = least([timeOf(trace.session_started_at) ?? ended, ...starts]);
  const to = most([ended, ...ends]);
  const below = groupsOf(trace, own, to);
  const root = step({ kind: 'root' }, ['session', trace.outcome_ref ?? trace.session_id ?? trace.trace_id], {
    ...{ at: from, ms: to - from, tokens: trace.total_tokens, cost: trace.known_cost_usd, below },
  });
  return { root, from, to, untimed: all.filter(({ at }) => at === undefined).length, count: all.length };
}

/** Without spreading thousands of arguments. */
const least = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.min(a, b));
const most = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b));
export const withBelow = (one: TraceStep): TraceStep[] => [one, ...one.below.flatMap(withBelow)];

const readsOf = ({ causal_entries }: WholeTrace): TraceStep[] =>
  causal_entries.map((read, i) =>
    step({ kind: 'read', read }, [`read-${i}`, `${read.entity_path}/${read.key}`], {
      ...{ at: timeOf(read.read_at), ms: read.duration_ms, result: texts.version(read.version) },
    }),
  );

const queriesOf = ({ query_events }: WholeTrace): TraceStep[] =>
  query_events.map((query, i) => {
    const words = query.parameters.query ?? query.parameters.entity_path;
    return step({ kind: 'query', query }, [`query-${i}`, query.operation], {
      ...{ note: typeof words === 'string' ? words : '', at: timeOf(query.occurred_at), ms: query.duration_ms },
      result: texts.found(query.result_count),
    });
  });

const toolsOf = ({ tool_calls }: WholeTrace): TraceStep[] =>
  tool_calls.map((call, i) =>
    step({ kind: 'tool', call }, [`tool-${i}`, call.tool_name], {
      ...{ note: call.result_summary, at: timeOf(call.started_at), ms: call.duration_ms, isFailed: !call.success },
    }),
  );

const errorsOf = ({ error_events }: WholeTrace): TraceStep[] =>
  error_events.map((error, i) =>
    step({ kind: 'error', error }, [`error-${i}`, error.error_type], {
      ...{ note: error.message, at: timeOf(error.occurred_at), isFailed: true },
    }),
  );

const contextsOf = ({ external_contexts }: WholeTrace): TraceStep[] =>
  external_contexts.map((context, i) =>
    step({ kind: 'context', context }, [`context-${i}`, context.label], {
      ...{ note: context.summary, at: timeOf(context.recorded_at) },
    }),
  );

/** Spans within spans. A model call and its span, which has the same id, are one step. */
function spansOf({ session_metadata: { spans, llm_calls } }: WholeTrace): TraceStep[] {
  const calls = new Map(llm_calls.map((call) => [call.call_id, call]));
  const made = new Map<string, { parent: string | null; made: TraceStep }>();
  for (const span of spans) {
    const call = calls.get(span.span_id);
    calls.delete(span.span_id);
    made.set(span.span_id, { parent: span.parent_span_id, made: call ? callStep(call, span) : spanStep(span) });
  }
  for (const call of calls.values()) made.set(call.call_id, { parent: null, made: callStep(call, undefined) });
  const roots = hung(made);
  for (const { made: one } of made.values()) one.below.sort(byTime);
  return roots;
}

/** Spans that lie deeper stand at the last level: only a runaway client nests so far. */
const MOST_LEVELS = 100;
/** Where what is below a span goes, and at which level. */
type HangingPlace = { list: TraceStep[]; level: number };

/** Puts each span below its parent. One that lies within itself by way of others, which only a mistaken client says, is a root. */
function hung(made: ReadonlyMap<string, { parent: string | null; made: TraceStep }>): TraceStep[] {
  const roots: TraceStep[] = [];
  const places = new Map<string, HangingPlace>();
  for (const start of made.keys()) {
    const way = new Set<string>();
    for (let at = start; made.has(at) && !places.has(at) && !way.has(at); at = made.get(at)?.parent ?? '') way.add(at);
    for (const id of [...way].reverse()) {
      const { parent, made: one } = made.get(id) as { parent: string | null; made: TraceStep };
      const above = parent === null ? undefined : places.get(parent);
      (above?.list ?? roots).push(one);
      if (above && above.level === MOST_LEVELS) places.set(id, above);
      else places.set(id, { list: one.below, level: (above?.level ?? 0) + 1 });
    }
  }
  return roots;
}

function callStep(call: RecordedCall, span: RecordedStep | undefined): TraceStep {
  const given = span && span.name !== call.model ? span.name : '';
  return step({ kind: 'llm', call, span }, [`call-${call.call_id}`, call.model], {
    ...{ note: given, at: timeOf(call.started_at), ms: call.latency_ms ?? undefined },
    ...{ tokens: call.input_tokens + call.output_tokens, cost: call.cost_usd },
    isFailed: span?.status === 'error',
  });
}

function spanStep(span: RecordedStep): TraceStep {
  const kind = span.kind === 'memory_write' ? 'write' : 'span';
  return step({ kind, span }, [`span-${span.span_id}`, span.name], {
    ...{ note: span.error ?? '', at: timeOf(span.started_at), ms: span.duration_ms ?? undefined },
    isFailed: span.status === 'error',
  });
}

const byTime = (a: TraceStep, b: TraceStep) => (a.at ?? Number.MAX_SAFE_INTEGER) - (b.at ?? Number.MAX_SAFE_INTEGER);

/** In the order of time; below the attempts that were given up, where there are some, and the last one. */
function groupsOf(trace: WholeTrace, own: TraceStep[], to: number): TraceStep[] {
  const sorted = [...own].sort(byTime);
  const last = step({ kind: 'outcome' }, ['outcome', texts.outcome], {
    ...{ note: trace.outcome_type ?? '', at: timeOf(trace.session_ended_at) },
    result: texts.moved(trace.state_diff.confidence_changes.length),
  });
  if (trace.outcome_type !== null) sorted.push(last);
  const { attempts } = trace;
  if (attempts.length === 0) return sorted;
  const groups: TraceStep[][] = Array.from({ length: attempts.length + 1 }, () => []);
  for (const one of sorted) groups[Math.min(attempts.length, attemptOf(trace, one))]?.push(one);
  return groups.flatMap((below, i) => {
    const attempt = attempts[i];
    if (below.length === 0 && !attempt) return [];
    const began = below.flatMap(({ at }) => (at === undefined ? [] : [at]));
    const at = began.length > 0 ? least(began) : timeOf(attempt?.recorded_at);
    const end = attempt ? most([timeOf(attempt.recorded_at) ?? 0, ...began]) : to;
    const name = texts.attempt(attempt?.attempt ?? i + 1);
    return step({ kind: 'attempt', attempt }, [`attempt-${i}`, name], {
      ...{ note: attempt?.summary ?? '', at, ms: at === undefined ? undefined : Math.max(0, end - at), below },
      isFailed: attempt !== undefined,
    });
  });
}

/** The attempt, from 0, that a step is part of: as it was recorded, else by its time. */
function attemptOf({ attempts }: WholeTrace, { id, of, at }: TraceStep): number {
  if (of.kind === 'outcome') return attempts.length;
  if (of.kind === 'read') return of.read.attempt;
  if (of.kind === 'tool') {
    const index = Number(id.slice('tool-'.length));
    const named = attempts.findIndex(({ action_indices }) => action_indices.includes(index));
    if (named >= 0) return named;
  }
  const found = attempts.findIndex(({ recorded_at }) => at !== undefined && at <= Date.parse(recorded_at));
  return found < 0 ? attempts.length : found;
}
