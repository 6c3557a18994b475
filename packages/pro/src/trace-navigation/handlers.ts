import {
  Fault,
  type Handlers,
  type Input,
  inTurns,
  isSuccess,
  listSpansOf,
  MAX_COMPARED_STEPS,
  type Output,
  parseOutcomeType,
  pause,
  type ReadContext,
  readSpanOf,
  reads,
  readTrace,
} from '@mem-service/server/module';
import { actionsOf, alignSteps, becauseOf, differingFacts, memoryOf } from './rules/compare.ts';
import { outlineText } from './rules/outline.ts';
import { type ComparableStep, type ComparableTrace, isError, stepsOf } from './rules/steps.ts';
import { search } from './search.ts';

const listSpans = reads<'traces.list_spans'>(async (context, { trace_id, limit }) => {
  const all = await listSpansOf(context, trace_id);
  const spans = all.slice(0, limit);
  const outline = outlineText(spans);
  return { trace_id, span_count: all.length, outline, spans, complete: spans.length === all.length };
});

const readSpan = reads<'traces.read_span'>(async (context, { trace_id, span_id }) => {
  const span = await readSpanOf(context, { trace_id, span_id });
  if (!span)
    throw new Fault(
      'not_found',
      `there is no span ${span_id} in trace ${trace_id}; list its spans to see which there are`,
      {
        trace_id,
        span_id,
      },
    );
  return { trace_id, span };
});

/** Entries that a comparison names. */
const MAX_MEMORY = 1000;

export async function compareTraces(
  context: ReadContext,
  { trace_ids, only_differences, limit }: Input<'traces.compare'>,
): Promise<Output<'traces.compare'>> {
  const { traces, steps, errors, isCut } = await loadAll(context, trace_ids);
  const all = await inTurns(alignSteps(steps));
  await pause();
  const different = all.filter(({ differs }) => differs.length > 0);
  const [first] = different;
  const wanted = only_differences ? different : all;
  const shown = wanted.slice(0, limit);
  const memory = memoryOf(traces);
  return {
    traces: traces.map((trace, i) => toCompared(trace, { steps: steps[i]?.length ?? 0, errors: errors[i] ?? 0 })),
    differences: differingFacts(traces) as Output<'traces.compare'>['differences'],
    first_divergence: first ? { ...first, because: becauseOf(first, trace_ids) } : null,
    steps: shown,
    step_count: all.length,
    same_count: all.length - different.length,
    memory: memory.slice(0, MAX_MEMORY),
    actions: actionsOf(traces),
    complete: !isCut && shown.length === wanted.length && memory.length <= MAX_MEMORY,
  };
}

/** One by one: only what is compared of a trace stays in memory. */
async function loadAll(context: ReadContext, ids: readonly string[]) {
  const traces: ComparableTrace[] = [];
  const steps: ComparableStep[][] = [];
  const errors: number[] = [];
  let isCut = false;
  for (const id of ids) {
    const trace = await readTrace(context, id, 'spans');
    await pause();
    const all = await inTurns(stepsOf(trace, hasFailed(trace)));
    isCut ||= trace.truncated || all.length > MAX_COMPARED_STEPS;
    steps.push(all.slice(0, MAX_COMPARED_STEPS));
    errors.push(all.filter(isError).length);
    traces.push(withoutPayloads(trace));
  }
  return { traces, steps, errors, isCut };
}

function hasFailed({ outcome_type }: ComparableTrace): boolean {
  const type = outcome_type === null ? undefined : parseOutcomeType(outcome_type);
  return type !== undefined && !isSuccess(type);
}

const withoutPayloads = (trace: ComparableTrace): ComparableTrace => ({
  ...trace,
  session_metadata: { ...trace.session_metadata, spans: [] },
  query_events: [],
});

function toCompared(
  trace: ComparableTrace,
  counted: { steps: number; errors: number },
): Output<'traces.compare'>['traces'][number] {
  const { trace_id, agent_id, session_id, branch, outcome_ref, outcome_type, created_at, truncated } = trace;
  const { session_duration_ms, total_llm_calls, total_tokens, total_cost_usd, known_cost_usd } = trace;
  return {
    ...{ trace_id, agent_id, session_id, branch, outcome_ref, outcome_type, created_at, session_duration_ms },
    ...{ total_llm_calls, total_tokens, total_cost_usd, known_cost_usd },
    ...counted,
    truncated,
  };
}

export const handlers: Handlers = {
  'traces.search': search,
  'traces.list_spans': listSpans,
  'traces.read_span': readSpan,
  'traces.compare': reads<'traces.compare'>(compareTraces),
};
