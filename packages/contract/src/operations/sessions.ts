import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import * as t from '../trace-shapes.ts';

const recorded = {
  item_id: z.string().meta({ description: 'Names the record within the account.' }),
  agent_id: s.agentId,
  session_id: z.string().nullable(),
  recorded_at: s.utc,
};

const common = { module: 'sessions', effect: 'write', cost: 2 } as const;
const recording = { ...common, most_per_session: t.MAX_ITEMS } as const;

/** Records of an open session, until an outcome seals it. Reads, queries and writes are recorded automatically. */
export const sessions = {
  'sessions.record_context': operation({
    summary: 'Record what was learnt elsewhere',
    description: 'Puts external context (a ticket, a log line, a page) into the causal chain of the open session.',
    ...recording,
    http: { method: 'POST', path: '/api/v1/context', status: 201 },
    cli: { args: ['label', 'summary'], alias: 'context' },
    tools: [
      {
        name: 'mem_record_context',
        toolset: 'core',
        slim: ['label', 'summary', 'source'],
        description: 'Note what you learnt outside memory (ticket, log, page) and act upon.',
        fields: ['label', 'summary', 'source'],
        about: { label: 'What it is, e.g. ticket', summary: 'What it says', source: 'Where it is from' },
      },
    ],
    input: () => t.contextNote.extend(t.author),
    output: () => z.object({ ...recorded, recorded: z.string(), source: z.string().nullable() }),
    errors: ['conflict'],
    example: () => ({ label: 'ticket', summary: 'Customers see timeouts since 10:20', source: 'support/4711' }),
  }),

  'sessions.record_action': operation({
    summary: 'Record an action',
    description: 'Something the agent did in the open session. Secrets in arguments and results are redacted.',
    ...recording,
    http: { method: 'POST', path: '/api/v1/actions', status: 201 },
    cli: { args: ['tool_name'], alias: 'action' },
    tools: [
      {
        name: 'mem_record_action',
        toolset: 'core',
        description: 'Note something you did, so that it is in the trace.',
        fields: ['tool_name', 'arguments', 'result_summary', 'success', 'choices'],
        unlisted: ['decision_type', 'duration_ms'],
        about: {
          tool_name: 'What you used',
          arguments: 'How',
          result_summary: 'What came of it',
          success: 'Default true',
          choices: 'What you chose from',
        },
      },
    ],
    input: () => t.toolCall.extend(t.author),
    output: () => z.object({ ...recorded, action_index: z.int() }),
    errors: ['conflict'],
    example: () => ({ tool_name: 'deploy', arguments: { service: 'payments' }, result_summary: 'rolled out' }),
  }),

  'sessions.record_error': operation({
    summary: 'Record an error',
    description: 'Something that went wrong in the open session. Refusals by the service are recorded automatically.',
    ...recording,
    http: { method: 'POST', path: '/api/v1/errors', status: 201 },
    cli: { args: ['error_type', 'message'], alias: 'error' },
    input: () =>
      z.strictObject({
        operation: s.text(256).min(1).default('tool'),
        error_type: s.text(256).min(1),
        message: t.longText,
        stack_trace: t.longText.optional(),
        ...t.author,
      }),
    output: () => z.object(recorded),
    errors: ['conflict'],
    example: () => ({ operation: 'tool', error_type: 'TimeoutError', message: 'deploy took longer than 300 s' }),
  }),

  'sessions.record_llm_call': operation({
    summary: 'Record a call of a language model',
    description:
      'Priced by the price table where no cost is given; a cost that cannot be known is null. The trace also has a span ' +
      'of the kind llm for it, with the id of the call.',
    ...recording,
    http: { method: 'POST', path: '/api/v1/llm-calls', status: 201 },
    cli: { args: ['model'], alias: 'llm-call' },
    tools: [
      {
        name: 'mem_record_llm_call',
        toolset: 'tracing',
        description: 'Note a call of a language model: tokens, cost, latency.',
        fields: [
          'model',
          'provider',
          'input_tokens',
          'output_tokens',
          'cached_input_tokens',
          'cost_usd',
          'latency_ms',
          'call_id',
          'error',
        ],
        about: {
          model: 'e.g. claude-sonnet-4',
          provider: 'e.g. anthropic',
          input_tokens: 'Tokens sent',
          output_tokens: 'Tokens received',
          cached_input_tokens: 'Of those sent, from a cache',
          cost_usd: 'Leave out to have it priced',
          latency_ms: 'How long it took',
          call_id: 'Your own id; also that of its span',
          error: 'What went wrong',
        },
      },
    ],
    input: () =>
      z.strictObject({
        ...t.llmCall.shape,
        model: s.text(256).min(1),
        input_tokens: z.int().min(0).default(0),
        output_tokens: z.int().min(0).default(0),
        cached_input_tokens: z.int().min(0).optional(),
        temperature: z.number().optional(),
        finish_reason: s.text(64).optional(),
        error: s.text(4096).optional(),
        ...t.author,
      }),
    output: () => z.object({ ...recorded, call_id: z.string(), cost_usd: z.number().nullable() }),
    errors: ['conflict'],
    example: () => ({ model: 'claude-sonnet-4', provider: 'anthropic', input_tokens: 1200, output_tokens: 300 }),
  }),

  'sessions.record_span': operation({
    summary: 'Record a span',
    description:
      'A piece of work within the open session. The same `span_id` again adds to the span, so that it can ' +
      'be recorded when it starts and again when it ends. Payloads are redacted and cut.',
    ...recording,
    http: { method: 'POST', path: '/api/v1/spans', status: 201 },
    cli: { args: ['name'], alias: 'span' },
    tools: [
      {
        name: 'mem_record_span',
        toolset: 'tracing',
        description: 'Note a piece of work that is over. For one that goes on: mem_start_span, mem_end_span.',
        fields: [
          'name',
          'kind',
          'span_id',
          'parent_span_id',
          'status',
          'error',
          'started_at',
          'ended_at',
          'duration_ms',
          'input',
          'output',
          'attributes',
        ],
        now: 'ended_at',
        about: {
          name: 'What was done',
          kind: 'Default agent',
          span_id: 'Your own id',
          parent_span_id: 'The span it was part of',
          status: 'Default ok',
          error: 'What went wrong',
          started_at: 'ISO time',
          ended_at: 'ISO time; default now',
          duration_ms: 'How long it took',
          input: 'What went in',
          output: 'What came out',
          attributes: 'Scalars by key',
        },
      },
    ],
    input: () => t.span.extend({ name: s.text(256).min(1).optional(), ...t.author }),
    output: () => z.object({ ...recorded, span_id: z.string() }),
    errors: ['conflict'],
    example: () => ({ name: 'plan the roll-out', kind: 'agent' as const, status: 'ok' as const }),
  }),

  'sessions.set_attributes': operation({
    summary: 'Set attributes of the session',
    description: 'They go onto the sealed trace. Later values win; null removes a key.',
    ...common,
    http: { method: 'PUT', path: '/api/v1/attributes' },
    cli: { args: ['attributes'], alias: 'set-attributes' },
    tools: [
      {
        name: 'mem_set_trace_attributes',
        toolset: 'tracing',
        description: 'Put labels on the trace of this session. Later values win; null removes a key.',
        fields: ['attributes'],
        about: { attributes: 'Scalars by key, at most 20' },
      },
    ],
    input: () => z.strictObject({ attributes: t.attributes, ...t.author }),
    output: () => z.object({ ...recorded, attributes: t.attributes }),
    errors: [],
    example: () => ({ attributes: { team: 'payments', attempt: 2 } }),
  }),

  'sessions.record_attempt': operation({
    summary: 'Close a failed attempt',
    description:
      'Everything read and done in the session since the last attempt belongs to this one and answers for its failure; ' +
      'what is read from now on belongs to the next.',
    ...common,
    most_per_session: t.MAX_ATTEMPTS,
    needs_notes: 'of all servers',
    http: { method: 'POST', path: '/api/v1/attempts', status: 201 },
    cli: { args: ['summary'], alias: 'attempt' },
    tools: [
      {
        name: 'mem_record_attempt',
        toolset: 'core',
        slim: ['outcome_type', 'summary'],
        description: 'What you tried has failed and you try something else: what you read for it loses confidence.',
        fields: ['outcome_type', 'summary'],
        about: { outcome_type: 'Default minor_failure', summary: 'What failed, and why' },
      },
    ],
    input: () =>
      z.strictObject({
        outcome_type: t.outcomeType.default('minor_failure'),
        summary: s.text(4096).optional(),
        ...t.author,
      }),
    output: () => z.object({ ...recorded, attempt: z.int(), entries: z.int(), actions: z.int(), ...t.completeness }),
    errors: ['conflict'],
    example: () => ({ outcome_type: 'minor_failure', summary: 'the retry limit was too low' }),
  }),

  'sessions.explain': operation({
    summary: 'Explain what led here',
    description:
      'The causal chain of the open session, or of a sealed one by `trace_id` or `outcome_ref`: what was read, in which ' +
      'version and with which value, and what came from outside.',
    module: 'sessions',
    effect: 'read',
    cost: 1,
    needs_notes: 'of all servers',
    http: { method: 'GET', path: '/api/v1/explain' },
    cli: { alias: 'explain' },
    tools: [
      {
        name: 'mem_explain',
        toolset: 'core',
        description: 'What led here: everything read and noted in this session, or in a sealed one.',
        fields: ['outcome_ref', 'trace_id'],
        previews: true,
        about: { trace_id: 'Or "last"', outcome_ref: 'The result of a sealed session' },
        miss: 'no argument for the open session, or mem_list_traces for sealed ones',
      },
    ],
    input: () =>
      z.strictObject({
        outcome_ref: t.outcomeRef.optional(),
        trace_id: t.traceId.optional(),
        ...t.author,
      }),
    output: () =>
      z
        .object({
          status: z.enum(['open', 'sealed']),
          trace_id: z.string().nullable(),
          outcome_ref: z.string().nullable(),
          outcome_type: z.string().nullable(),
          agent_id: s.agentId,
          session_id: z.string().nullable(),
          causal_chain_length: z.int(),
          causal_entries: z.array(t.causalEntry),
          external_contexts: z.array(t.externalContext),
          query_events: z.array(t.queryEvent),
          error_events: z.array(t.errorEvent),
          tool_calls: z.array(t.actionTaken),
          llm_calls: z.array(t.recordedCall),
          spans: z.array(t.recordedSpan),
          attempts: z.array(t.closedAttempt),
          attributes: t.attributes,
          stale_reads: z.array(t.staleRead),
          session_started_at: s.utc.nullable(),
          truncated: z.boolean().meta({ description: 'The session held more than is kept, or shown.' }),
          ...t.completeness,
        })
        .meta({ id: 'Explanation' }),
    errors: ['not_found'],
    example: () => ({}),
  }),
};
