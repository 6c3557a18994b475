import type { Output } from '@mem-service/server/module';

export type ComparableTrace = Output<'traces.read'>;
type TraceComparison = Output<'traces.compare'>;
export type AlignedStep = TraceComparison['steps'][number];
export type ShownStep = NonNullable<AlignedStep['of'][number]>;
type AlignedKind = AlignedStep['kind'];

/** A step of a trace: what is shown of it, and what it is compared by. */
export type ComparableStep = {
  kind: AlignedKind;
  name: string;
  shown: ShownStep;
  /** What it was given, and what came of it, as text. */
  given: string;
  got: string;
};

const NOTE_CHARS = 200;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

type StepFacts = Partial<Omit<ShownStep, 'note' | 'at'>> & {
  at: string | null | undefined;
  note?: unknown;
  given?: unknown;
  got?: unknown;
};

function step(kind: AlignedKind, name: string, { at, note = '', given, got, ...facts }: StepFacts): ComparableStep {
  const givenText = textOf(given);
  const shown: ShownStep = {
    at: at ?? null,
    duration_ms: facts.duration_ms ?? null,
    failed: facts.failed ?? false,
    note: (note === given ? givenText : textOf(note)).slice(0, NOTE_CHARS),
    version: facts.version ?? null,
    span_id: facts.span_id ?? null,
  };
  return { kind, name, shown, given: givenText, got: textOf(got) };
}

/**
 * What a session did, in the order of time; the outcome comes last, and `failed` says what it was. One part at a time: each may be as
 * long as a body.
 */
export function* stepsOf(trace: ComparableTrace, failed: boolean): Generator<void, ComparableStep[]> {
  const steps: ComparableStep[] = [];
  for (const read of trace.causal_entries) {
    const { entity_path, key, version, read_at, duration_ms } = read;
    steps.push(
      step('read', `${entity_path}/${key}`, { at: read_at, duration_ms, version, note: `version ${version}` }),
    );
  }
  for (const { operation, parameters, result_count, duration_ms, occurred_at } of trace.query_events) {
    yield;
    const facts = { at: occurred_at, duration_ms, note: parameters };
    steps.push(step('query', operation, { ...facts, given: parameters, got: result_count }));
  }
  for (const call of trace.tool_calls) {
    yield;
    const { tool_name, started_at, duration_ms, success, result_summary } = call;
    const facts = { at: started_at, duration_ms, failed: !success, note: result_summary };
    steps.push(step('tool', tool_name, { ...facts, given: call.arguments, got: result_summary }));
  }
  for (const span of trace.session_metadata.spans) {
    yield;
    steps.push(spanStep(span));
  }
  for (const { label, summary, recorded_at } of trace.external_contexts)
    steps.push(step('context', label, { at: recorded_at, note: summary, got: summary }));
  for (const { error_type, message, occurred_at } of trace.error_events)
    steps.push(step('error', error_type, { at: occurred_at, failed: true, note: message, got: message }));
  for (const { attempt, summary, recorded_at } of trace.attempts)
    steps.push(step('attempt', `attempt ${attempt}`, { at: recorded_at, failed: true, note: summary ?? '' }));
  yield;
  const ordered = steps.map((one, i) => ({ one, i })).sort((a, b) => byTime(a.one, b.one) || a.i - b.i);
  const all = ordered.map(({ one }) => one);
  const { outcome_type, response_text, session_ended_at } = trace;
  if (outcome_type !== null)
    all.push(
      step('outcome', 'outcome', {
        ...{ at: session_ended_at, failed, note: outcome_type, got: response_text ?? '' },
      }),
    );
  return all;
}

/** What makes a trace one with an error: how it ended does not. */
export const isError = ({ kind, shown }: ComparableStep): boolean =>
  shown.failed && kind !== 'outcome' && kind !== 'attempt';

type RecordedSpan = ComparableTrace['session_metadata']['spans'][number];

function spanStep(span: RecordedSpan): ComparableStep {
  const { span_id, name, kind, status, error, started_at, duration_ms, input, output, model } = span;
  const isCall = kind === 'llm';
  return step(isCall ? 'llm' : 'span', isCall && typeof model === 'string' ? model : `${kind} ${name}`, {
    ...{ at: started_at, duration_ms: duration_ms ?? null, span_id, failed: status === 'error' },
    ...{ note: error ?? (isCall ? name : ''), given: input, got: output },
  });
}

/** Steps without a time come last. */
function byTime({ shown: { at: a } }: ComparableStep, { shown: { at: b } }: ComparableStep): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}
