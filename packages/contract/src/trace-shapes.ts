import * as z from 'zod';
import * as s from './shapes.ts';

/** Text for people: longer one is cut, not refused. */
export const longText = z.string().meta({ description: 'Redacted; cut to 200,000 characters.' });
/** The most records that a session holds before it has to be sealed. */
export const MAX_ITEMS = 10_000;
/** The most bytes of records: sealing them is one transaction, which holds all of them in memory. */
export const MAX_SESSION_BYTES = 64 * 1024 * 1024;
export const MAX_ATTEMPTS = 50;
export const MAX_CAUSES = 1000;
/** Entries that all attempts of an outcome name together. */
export const MAX_CAUSES_OF_ATTEMPTS = 2000;

export const outcomeTypes = [
  'success',
  'minor_failure',
  'failure',
  'critical_failure',
  'clean_deploy',
  'regression',
  'p2_incident',
  'p1_incident',
] as const;

/** The names to use; the others are older ones. */
export const plainOutcomeTypes = outcomeTypes.slice(0, 4);

export const outcomeType = z
  .preprocess((given) => (typeof given === 'string' ? given.toLowerCase() : given), z.enum(outcomeTypes))
  .meta({
    id: 'OutcomeType',
    description:
      'How it went. The last four are older names for the first four: clean_deploy is a success, regression a minor ' +
      'failure, p2_incident a failure, p1_incident a critical one.',
  });

export const outcomeRef = s
  .text(512)
  .min(1)
  .meta({
    description: 'Names the result in the world: a deployment, a ticket, a run.',
    examples: ['deploy-2231'],
  });

export const traceId = s.text(64).min(1).meta({ description: 'Names a sealed trace.' });

/** The acting agent and session; by default those of the request. */
export const author = { agent_id: s.agentId.optional(), session_id: s.sessionId.optional() };

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** More than 20, because of those that the service sets and those that null removes. */
const MAX_ATTRIBUTES_GIVEN = 100;

/** Checked in the service, key by key, so that an error can name the wrong one. */
export const attributes = z.record(z.string(), s.anyJson).meta({
  id: 'Attributes',
  description: `Scalar values by lowercase key: a session keeps 20 attributes; a request may name ${MAX_ATTRIBUTES_GIVEN}, with those that null removes.`,
  maxProperties: MAX_ATTRIBUTES_GIVEN,
});

export const toolCall = z
  .strictObject({
    tool_name: s.text(256).min(1),
    arguments: s.jsonValue.optional(),
    result_summary: longText.default(''),
    result_hash: s.text(256).default(''),
    started_at: s.timestamp.optional(),
    duration_ms: z.number().min(0).default(0),
    source: s.text(256).optional(),
    success: z.boolean().default(true),
    action_key: s.text(256).optional(),
    choices: s.jsonValue.optional(),
    decision_type: s.text(256).optional(),
  })
  .meta({ id: 'NewToolCall', description: 'Something the agent did. Argument names are kept as given.' });

/** What something cost. */
export const usd = z.number().min(0).max(1_000_000_000);

export const llmCall = z
  .looseObject({
    call_id: s.text(256).optional(),
    model: s.text(256).optional(),
    provider: s.text(256).optional(),
    input_tokens: z.int().min(0).optional(),
    output_tokens: z.int().min(0).optional(),
    cost_usd: usd.nullish(),
    latency_ms: z.number().min(0).nullish(),
    started_at: s.timestamp.optional(),
  })
  .meta({
    id: 'NewLlmCall',
    description: 'One call of a language model. A cost that is not known is null, never zero.',
  });

export const spanKinds = ['session', 'agent', 'tool', 'memory_read', 'memory_write', 'context', 'llm'] as const;

export const span = z
  .strictObject({
    span_id: s.text(256).min(1).optional(),
    parent_span_id: s.text(256).nullish(),
    name: s.text(256).min(1),
    kind: z.enum(spanKinds).default('agent'),
    status: z.enum(['ok', 'error', 'running']).optional(),
    error: s.text(4096).nullish(),
    started_at: s.timestamp.optional(),
    ended_at: s.timestamp.nullish(),
    duration_ms: z.number().min(0).nullish(),
    input: s.jsonValue.optional(),
    output: s.jsonValue.optional(),
    attributes: z.record(s.text(64), scalar).optional(),
    model: s.text(256).optional(),
    input_tokens: z.int().min(0).optional(),
    output_tokens: z.int().min(0).optional(),
    cost_usd: usd.nullish(),
  })
  .meta({ id: 'NewSpan', description: 'A piece of work within the session; spans nest.' });

export const contextNote = z.strictObject({
  label: s.text(256).min(1),
  summary: longText,
  source: s.text(512).optional(),
});

/** `entity_path/key` */
export const entryName = s.text(1100).min(1);

export const cause = z
  .union([entryName, z.strictObject({ entity_path: s.entityPath, key: s.key, version: s.version.optional() })])
  .meta({
    id: 'Cause',
    description: 'An entry: `entity_path/key` (a slash within the key as %2F, a percent as %25), or its path and key.',
  });

export const attempt = z
  .strictObject({
    attempt: z.int().min(1).optional(),
    outcome_type: outcomeType.default('minor_failure'),
    causal_entry_keys: z.array(cause).max(MAX_CAUSES).default([]),
    causal_entry_versions: z.record(z.string(), s.version).default({}),
    action_indices: z.array(z.int().min(0)).max(1000).default([]),
    summary: s.text(4096).optional(),
  })
  .meta({ id: 'Attempt', description: 'A try that failed, and the entries that led to it.' });

/** An entry as the session read it. */
export const causalEntry = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    branch: s.branch,
    version: s.version,
    value: s.anyJson.optional().meta({ description: 'As it was read. Left out in lists; gone once erased.' }),
    confidence: s.confidence,
    memory_type: s.memoryType.nullable(),
    evidence_status: z.enum(['untested', 'validated', 'contested', 'discredited']),
    success_count: z.int(),
    failure_count: z.int(),
    written_by: z.string(),
    attempt: z.int().meta({ description: 'The try within the session that read it, from 0.' }),
    read_at: s.utc,
    duration_ms: z.number(),
  })
  .meta({ id: 'CausalEntry', description: 'An entry that was read, as it stood at that time.' });

export const externalContext = z
  .object({ label: z.string(), summary: z.string(), source: z.string().nullable(), recorded_at: s.utc })
  .meta({ id: 'ExternalContext' });

export const queryEvent = z
  .object({
    operation: z.string(),
    parameters: z.record(z.string(), s.anyJson),
    result_count: z.int(),
    duration_ms: z.number(),
    occurred_at: s.utc,
  })
  .meta({ id: 'QueryEvent' });

export const errorEvent = z
  .object({
    operation: z.string(),
    error_type: z.string(),
    message: z.string(),
    stack_trace: z.string().optional(),
    occurred_at: s.utc,
  })
  .meta({ id: 'ErrorEvent' });

export const actionTaken = z
  .looseObject({
    tool_name: z.string(),
    arguments: s.anyJson,
    result_summary: z.string(),
    result_hash: z.string(),
    started_at: s.utc,
    duration_ms: z.number(),
    source: z.string().nullable(),
    success: z.boolean(),
  })
  .meta({ id: 'ToolCall', description: 'Something the agent did.' });

export const recordedCall = z
  .looseObject({
    call_id: z.string(),
    model: z.string(),
    provider: z.string(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.number().nullable(),
    latency_ms: z.number().nullable(),
    started_at: z.string(),
  })
  .meta({ id: 'LlmCall' });

export const recordedSpan = z
  .looseObject({
    span_id: z.string(),
    parent_span_id: z.string().nullable(),
    name: z.string(),
    kind: z.string(),
    status: z.string().optional().meta({ description: '`ok`, `error` or `running`.' }),
    error: z.string().nullish(),
    started_at: s.utc.nullish().meta({ description: 'When it began, or was first recorded.' }),
    ended_at: s.utc.nullish().meta({ description: 'Null while it is running.' }),
    duration_ms: z.number().nullish().meta({ description: 'Null where its start or its end is not known.' }),
  })
  .meta({ id: 'Span' });

/** Whether the service has all causes of an outcome. */
export const completeness = {
  causes_complete: z.boolean().meta({ description: 'False: something that the session read may be missing.' }),
  causes_incomplete_because: z.string().nullable().meta({ description: 'Why; null where nothing is missing.' }),
};

export const closedAttempt = z
  .object({
    attempt: z.int(),
    outcome_type: z.string(),
    summary: z.string().nullable(),
    action_indices: z.array(z.int()),
    causes_incomplete_because: z.string().optional(),
    recorded_at: s.utc,
  })
  .meta({ id: 'ClosedAttempt' });

export const staleRead = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    branch: s.branch,
    read_version: z.int(),
    current_version: z.int().nullable().meta({ description: 'Null when the entry is gone.' }),
    changed_by: z.string().nullable(),
    value_changed: z.boolean().meta({ description: 'Whether the value of the entry has changed.' }),
  })
  .meta({ id: 'StaleRead', description: 'Something the session read that others have changed since.' });
