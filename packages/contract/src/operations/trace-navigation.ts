import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import * as t from '../trace-shapes.ts';

/** Traces that are compared with one call. */
export const MAX_COMPARED = 10;
/** Steps of a trace that are compared; the rest is left out, and the answer says so. */
export const MAX_COMPARED_STEPS = 1000;
const MAX_SPANS = 10_000;

const spanId = s.text(256).min(1).meta({ description: 'Names a span of the trace.' });

const { span_id, parent_span_id, name, kind, status, error, started_at, ended_at, duration_ms } = t.recordedSpan.shape;

const outlinedSpan = z
  .looseObject({
    span_id,
    parent_span_id,
    depth: z.int().meta({ description: 'How many spans it lies within.' }),
    name,
    kind,
    status,
    error,
    started_at,
    ended_at,
    duration_ms,
  })
  .meta({ id: 'OutlinedSpan', description: 'A span without its payloads.' });

const stepKinds = ['read', 'query', 'tool', 'llm', 'span', 'context', 'error', 'attempt', 'outcome'] as const;

const stepOfTrace = z
  .object({
    at: s.utc.nullable(),
    duration_ms: z.number().nullable(),
    failed: z.boolean(),
    note: z.string().meta({ description: 'The beginning of what it did or said.' }),
    version: z.int().nullable().meta({ description: 'Of a read: the version of the entry.' }),
    span_id: z.string().nullable().meta({ description: 'Of a span: its id, for `traces.read_span`.' }),
  })
  .meta({ id: 'StepOfTrace' });

const alignedStep = z
  .object({
    no: z.int().meta({ description: 'Its place in the alignment, from 0.' }),
    kind: z.enum(stepKinds),
    name: z.string(),
    of: z.array(stepOfTrace.nullable()).meta({ description: 'The step in each trace; null where it was not taken.' }),
    differs: z
      .array(z.enum(['missing', 'version', 'arguments', 'result', 'failure', 'outcome']))
      .meta({ description: 'In what the traces differ here; empty where they do not. Times are no difference.' }),
  })
  .meta({ id: 'AlignedStep', description: 'The same step in each of some traces.' });

const comparedTrace = z
  .object({
    trace_id: z.string(),
    agent_id: s.agentId,
    session_id: z.string().nullable(),
    branch: s.branch,
    outcome_ref: z.string().nullable(),
    outcome_type: z.string().nullable(),
    created_at: s.utc,
    session_duration_ms: z.number().nullable(),
    total_llm_calls: z.int(),
    total_tokens: z.int(),
    total_cost_usd: z.number().nullable(),
    known_cost_usd: z.number().nullable(),
    steps: z.int(),
    errors: z.int().meta({ description: 'Errors, failed actions, and spans and model calls with an error.' }),
    truncated: z
      .boolean()
      .meta({ description: 'Steps are missing, because there are too many of them or they are too long.' }),
  })
  .meta({ id: 'ComparedTrace' });

const perTrace = <T extends z.ZodType>(one: T) =>
  z.array(one).meta({ description: 'One for each trace, in their order.' });

export const traceNavigation = {
  'traces.list_spans': operation({
    summary: 'List the spans of a trace',
    description:
      'From top to bottom of their tree, each with its depth, and the same as a text. Without payloads: `traces.read_span` ' +
      'has those of one.',
    module: 'trace-navigation',
    effect: 'read',
    cost: 1,
    // The spans of one trace are read in parts, so that their payloads are never in memory together.
    items_per_statement: 100,
    http: { method: 'GET', path: '/api/v1/pro/traces/{trace_id}/spans' },
    cli: { args: ['trace_id'], alias: 'spans' },
    input: () =>
      z.strictObject({
        trace_id: t.traceId,
        limit: z.int().min(1).max(MAX_SPANS).default(1000).meta({ description: 'The most spans, from the top.' }),
      }),
    output: () =>
      z.object({
        trace_id: z.string(),
        span_count: z.int().meta({ description: 'Of the whole trace.' }),
        outline: z.string().meta({ description: 'A line for each span, indented by its depth.' }),
        spans: z.array(outlinedSpan),
        complete: z.boolean().meta({ description: 'Whether these are all of them.' }),
      }),
    errors: ['not_found'],
    example: () => ({ trace_id: '01hzy3v9k2m8q4w6x0c5b7n1dp' }),
  }),

  'traces.read_span': operation({
    summary: 'Read a span of a trace with its payloads',
    module: 'trace-navigation',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/pro/traces/{trace_id}/spans/{span_id}' },
    cli: { args: ['trace_id', 'span_id'], alias: 'show-span' },
    input: () => z.strictObject({ trace_id: t.traceId, span_id: spanId }),
    output: () => z.object({ trace_id: z.string(), span: t.recordedSpan }),
    errors: ['not_found'],
    example: () => ({ trace_id: '01hzy3v9k2m8q4w6x0c5b7n1dp', span_id: '6f1d' }),
  }),

  'traces.compare': operation({
    summary: 'Compare traces',
    description:
      'Two or more: their steps side by side, the first one in which they part, the versions of memory that each read, ' +
      `their actions, cost, time and result. Of each trace, up to ${MAX_COMPARED_STEPS.toLocaleString('en')} steps are compared.`,
    module: 'trace-navigation',
    effect: 'read',
    cost: 1,
    // Traces are read one by one: each may be large.
    items_per_statement: 1,
    http: { method: 'POST', path: '/api/v1/pro/traces/compare' },
    cli: { args: ['trace_ids'], alias: 'compare-traces' },
    input: () =>
      z.strictObject({
        trace_ids: z
          .array(t.traceId)
          .min(2)
          .max(MAX_COMPARED)
          .meta({ description: 'The traces, the expected one first.' }),
        only_differences: z.boolean().default(false).meta({ description: 'Leave out steps in which they are alike.' }),
        limit: z
          .int()
          .min(1)
          .max(MAX_COMPARED_STEPS)
          .default(200)
          .meta({ description: 'The most steps in the answer.' }),
      }),
    output: () =>
      z.object({
        traces: z.array(comparedTrace),
        differences: z
          .array(z.object({ field: z.string(), values: perTrace(s.anyJson) }))
          .meta({ description: 'Facts about the traces that are not the same in all of them.' }),
        first_divergence: alignedStep
          .extend({ because: z.string().meta({ description: 'In a sentence.' }) })
          .nullable()
          .meta({ description: 'The first step that is not the same in all of them; null where none is.' }),
        steps: z.array(alignedStep),
        step_count: z.int().meta({ description: 'Of the whole alignment.' }),
        same_count: z.int().meta({ description: 'In how many steps they are alike.' }),
        memory: z
          .array(
            z.object({
              entity_path: s.entityPath,
              key: s.key,
              branch: s.branch,
              versions: perTrace(z.int().nullable()),
              differs: z.boolean(),
            }),
          )
          .meta({ description: 'What they read: the last version that each was shown, null where it read none.' }),
        actions: z
          .array(z.object({ tool_name: z.string(), calls: perTrace(z.int()), failed: perTrace(z.int()) }))
          .meta({ description: 'How often each tool was called, and how often that failed.' }),
        complete: z.boolean().meta({ description: 'Whether all steps and all that was read are in the answer.' }),
      }),
    errors: ['not_found'],
    example: () => ({ trace_ids: ['01hzy3v9k2m8q4w6x0c5b7n1dp', '01hzy3v9k2m8q4w6x0c5b7n1dq'] }),
  }),
};
