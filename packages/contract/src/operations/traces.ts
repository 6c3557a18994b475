import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import * as t from '../trace-shapes.ts';
import { sessionReport } from './outcomes.ts';

const stateDiff = z
  .object({
    entries_created: z.int(),
    entries_updated: z.int(),
    confidence_changes: z.array(
      z.object({
        entity_path: s.entityPath,
        key: s.key,
        before: z.number(),
        after: z.number(),
        outcome_ref: z.string(),
      }),
    ),
  })
  .meta({ id: 'StateDiff', description: 'What the session changed.' });

const trace = z
  .object({
    id: z.string(),
    trace_id: z.string(),
    immutable_trace_id: z.string().meta({ description: 'The hash that seals it.' }),
    agent_id: s.agentId,
    session_id: z.string().nullable(),
    branch: s.branch,
    outcome_ref: z.string().nullable(),
    outcome_type: z.string().nullable(),
    decision_summary: z.string().nullable(),
    task_input: z.string().nullable(),
    response_text: z.string().nullable(),
    tool_calls: z.array(t.actionTaken),
    causal_entries: z.array(t.causalEntry),
    external_contexts: z.array(t.externalContext),
    query_events: z.array(t.queryEvent),
    error_events: z.array(t.errorEvent),
    attempts: z.array(t.closedAttempt),
    state_diff: stateDiff,
    attributes: t.attributes,
    session_metadata: z.looseObject({
      attributes: t.attributes,
      llm_calls: z.array(t.recordedCall),
      spans: z.array(t.recordedSpan),
    }),
    total_llm_calls: z.int(),
    total_tokens: z.int(),
    total_cost_usd: z.number().nullable().meta({ description: 'Null when any cost is unknown, or none was recorded.' }),
    known_cost_usd: z.number().nullable(),
    session_started_at: s.utc.nullable(),
    session_ended_at: s.utc,
    session_duration_ms: z.number().nullable(),
    created_at: s.utc,
    sequence: z.int().meta({ description: 'Its place in the chain of the session, from 1.' }),
    parent_hash: z.string().nullable(),
    hash: z.string(),
    signature: z.string().nullable(),
    key_id: z.string().nullable(),
    truncated: z.boolean(),
    ...t.completeness,
    seq: z.int(),
  })
  .meta({ id: 'Trace', description: 'A sealed session: what was asked, read, done and answered, and how it ended.' });

const isoOrNull = s.timestamp.nullish();

export const traces = {
  'traces.create': operation({
    summary: 'Seal a trace of your own',
    description:
      'For clients that keep the session themselves and commit their outcome with `trace_follows`. Causal entries are ' +
      'named with the versions that were read; their values come from the store.',
    module: 'traces',
    effect: 'write',
    cost: 2,
    cites: true,
    http: { method: 'POST', path: '/api/v1/traces', status: 201, location: '/api/v1/traces/{trace_id}' },
    cli: { alias: 'seal-trace' },
    input: () =>
      z.strictObject({
        outcome_ref: t.outcomeRef.nullish(),
        outcome_type: t.outcomeType.nullish(),
        ...sessionReport,
        causal_entries: z
          .array(
            z.looseObject({
              entity_path: s.entityPath,
              key: s.key,
              version: s.version.optional(),
              read_at: isoOrNull,
              duration_ms: z.number().min(0).nullish(),
            }),
          )
          .max(t.MAX_CAUSES)
          .default([]),
        external_contexts: z
          .array(t.contextNote.extend({ source: s.text(512).nullish(), recorded_at: isoOrNull }))
          .max(1000)
          .default([]),
        query_events: z
          .array(
            z.looseObject({
              operation: s.text(256).min(1),
              parameters: z.record(z.string(), s.anyJson).default({}),
              result_count: z.int().min(0).default(0),
              duration_ms: z.number().min(0).nullish(),
              occurred_at: isoOrNull,
            }),
          )
          .max(1000)
          .default([]),
        error_events: z
          .array(
            z.looseObject({
              operation: s.text(256).default('tool'),
              error_type: s.text(256).min(1),
              message: t.longText.default(''),
              stack_trace: t.longText.nullish(),
              occurred_at: isoOrNull,
            }),
          )
          .max(1000)
          .default([]),
        state_diff: z
          .looseObject({ entries_created: z.int().min(0).default(0), entries_updated: z.int().min(0).default(0) })
          .nullish(),
        session_started_at: isoOrNull,
        session_ended_at: isoOrNull,
        branch: s.branch.default('main'),
        ...t.author,
      }),
    output: () => trace,
    errors: ['branch_not_found', 'not_found'],
    example: () => ({
      task_input: 'Why do payments time out?',
      response_text: 'The retry limit is too low.',
      causal_entries: [{ entity_path: 'checkout/payments', key: 'retry-policy' }],
    }),
  }),

  'traces.list': operation({
    summary: 'List traces',
    description:
      'Newest first, with query events, error events, state diff and timing. `query` searches task and response. Values of ' +
      'causal entries and span payloads are in `traces.read`.',
    module: 'traces',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/traces' },
    cli: { alias: 'traces' },
    tools: [
      {
        name: 'mem_list_traces',
        toolset: 'core',
        description: 'List sealed sessions, newest first, in short.',
        fields: ['query', 'entity_path', 'agent_id', 'outcome_type', 'outcome_ref', 'limit', 'cursor', 'branch'],
        unlisted: ['since', 'until', 'has_error'],
        about: {
          query: 'Words of task or response',
          entity_path: 'What it read',
          agent_id: 'Only of this agent',
          outcome_type: 'How it went',
          outcome_ref: 'Its result',
        },
        limit: 20,
        miss: 'fewer filters; a session becomes a trace with mem_commit_outcome',
      },
    ],
    input: () =>
      z.strictObject({
        query: z.string().max(4096).optional().meta({ description: 'Words in the task or the response.' }),
        entity_path: s.pathGlob.optional().meta({ description: 'Traces that read an entry there.' }),
        agent_id: s.agentId.optional().meta({ description: 'Only sessions of this agent.' }),
        session_id: s.sessionId.optional(),
        outcome_type: t.outcomeType.optional(),
        outcome_ref: t.outcomeRef.optional(),
        has_error: z
          .boolean()
          .optional()
          .meta({ description: '`true`: only traces with error events; `false`: only those without.' }),
        branch: s.branch.default('main'),
        since: s.since,
        until: s.until,
        offset: z.int().min(0).max(10_000).default(0).meta({ description: 'Ignored with a cursor.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ traces: z.array(trace), ...s.page }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({}),
  }),

  'traces.read': operation({
    summary: 'Read a trace',
    module: 'traces',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/traces/{trace_id}' },
    cli: { args: ['trace_id'], alias: 'trace' },
    tools: [
      {
        name: 'mem_get_trace',
        toolset: 'core',
        description: 'Read a sealed session whole.',
        fields: ['trace_id'],
        about: { trace_id: 'Its id, or "last"' },
        whole: true,
        miss: 'mem_list_traces to see which there are',
      },
    ],
    input: () => z.strictObject({ trace_id: t.traceId }),
    output: () => trace,
    errors: ['not_found'],
    example: () => ({ trace_id: '01hzy3v9k2m8q4w6x0c5b7n1dp' }),
  }),

  'traces.verify': operation({
    summary: 'Verify sealed traces',
    description:
      'Recomputes what seals each trace: its parts, its place in the chain of its session, its signature. Goes through ' +
      '`limit` traces a call.',
    module: 'traces',
    effect: 'read',
    cost: 1,
    http: { method: 'POST', path: '/api/v1/traces/verify' },
    cli: { alias: 'verify-traces' },
    input: () =>
      z.strictObject({
        trace_id: t.traceId.optional(),
        limit: z.int().min(1).max(10_000).default(1000),
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        total_checked: z.int(),
        valid: z.int(),
        problems: z.array(
          z.object({
            trace_id: z.string(),
            reason: z.enum(['changed', 'part_changed', 'part_missing', 'chain_broken', 'bad_signature', 'unknown_key']),
            detail: z.string(),
          }),
        ),
        ...s.page,
      }),
    errors: ['not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({}),
  }),
};
