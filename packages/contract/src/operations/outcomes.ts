import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import * as t from '../trace-shapes.ts';

const affected = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    branch: s.branch,
    attempt: z
      .int()
      .nullable()
      .meta({ description: 'The failed attempt it answers for; null for the outcome itself.' }),
    outcome_type: z.string(),
    read_version: z.int().nullable(),
    version: z.int().nullable().meta({ description: 'The version whose standing changed.' }),
    applied: z.boolean(),
    reason: z.string().nullable().meta({ description: 'Why it was not credited.' }),
    confidence_before: z.number().nullable(),
    confidence_after: z.number().nullable(),
    evidence_status: s.evidenceStatus.nullable(),
    weight: z.number().nullable(),
    why: z.string().meta({ description: 'The same in a sentence.' }),
  })
  .meta({ id: 'AffectedEntry', description: 'What an outcome did to one entry, and why.' });

const outcome = z
  .object({
    outcome_id: z.string(),
    outcome_ref: z.string(),
    outcome_type: z.string(),
    causal_confidence: z.number(),
    agent_id: s.agentId,
    session_id: z.string().nullable(),
    branch: s.branch,
    decision_summary: z.string().nullable(),
    final_action_index: z.int().nullable(),
    attributes: t.attributes,
    is_evidence: z.boolean().meta({ description: 'False for a replay, which moves no confidence.' }),
    ...t.completeness,
    trace_id: z.string().nullable(),
    committed_at: s.utc,
    seq: z.int(),
  })
  .meta({ id: 'Outcome' });

const metadata = z
  .looseObject({
    attributes: t.attributes.optional(),
    llm_calls: z.array(t.llmCall).max(1000).optional(),
    spans: z.array(t.span).max(10_000).optional(),
    attempts: z.array(t.attempt).max(t.MAX_ATTEMPTS).optional(),
  })
  .meta({
    id: 'SessionMetadata',
    description: 'About the session: source, model, client_name, platform and any other key.',
  });

/** The caller's report about its task; also part of a trace that the caller seals itself. */
export const sessionReport = {
  task_input: t.longText.optional(),
  response_text: t.longText.optional(),
  decision_summary: s.text(4096).optional(),
  tool_calls: z.array(t.toolCall).max(1000).default([]),
  attributes: t.attributes.default({}),
  llm_calls: z.array(t.llmCall).max(1000).default([]),
  session_metadata: metadata.default({}),
};

export const outcomes = {
  'outcomes.commit': operation({
    summary: 'Commit an outcome',
    description:
      'Seals the session and moves the confidence of the entries that led to the result: those named, else those the ' +
      'session read. Hits of a search count when `used` names them. A retry of the same reference, type and session ' +
      'counts once; an outcome that credited nothing can be committed again with `used`.',
    module: 'outcomes',
    effect: 'write',
    cost: 0,
    free: 'an outcome is what everything else is for',
    needs_notes: 'of all servers',
    seals: { unless: 'trace_follows', named_by: 'outcome_ref' },
    http: {
      method: 'POST',
      path: '/api/v1/outcomes',
      status: { of: (output: { duplicate: boolean }) => (output.duplicate ? 200 : 201), all: [201, 200] },
      location: '/api/v1/outcomes?outcome_ref={outcome_ref}',
    },
    cli: { args: ['outcome_ref', 'outcome_type'], alias: 'outcome' },
    tools: [
      {
        name: 'mem_commit_outcome',
        toolset: 'core',
        slim: ['outcome_ref', 'outcome_type', 'task_input', 'response_text', 'used', 'branch'],
        description:
          'When a task is done or has failed: say how it went. Seals the session as a trace; what you read, and the hits ' +
          'you name in used, gain or lose confidence.',
        fields: [
          'outcome_ref',
          'outcome_type',
          'task_input',
          'response_text',
          'used',
          'causal_entry_keys',
          'tool_calls',
          'attributes',
          'branch',
        ],
        unlisted: ['decision_summary'],
        about: {
          outcome_ref: 'Names the result: deploy-2231, PR 17',
          outcome_type: 'How it went',
          task_input: 'What was asked',
          response_text: 'What you answered',
          used: 'path/key of hits and reads that helped; default: all you read',
          causal_entry_keys: 'Instead: path/key of entries seen elsewhere',
          tool_calls: 'Actions not yet recorded: {tool_name, arguments, result_summary}',
          attributes: 'Scalars by key',
        },
      },
    ],
    input: () =>
      z.strictObject({
        outcome_ref: t.outcomeRef,
        outcome_type: t.outcomeType,
        causal_entry_keys: z.array(t.cause).max(t.MAX_CAUSES).nullish(),
        causal_entry_versions: z.record(z.string(), s.version).nullish(),
        used: z
          .array(t.cause)
          .max(t.MAX_CAUSES)
          .optional()
          .meta({
            description:
              'What helped, of what this session read or was shown by a search or a list. Only these are credited. Default: ' +
              'all it read. What it has not seen is refused (422).',
          }),
        causal_confidence: z.number().min(0).max(1).default(1),
        attempts: z.array(t.attempt).max(t.MAX_ATTEMPTS).default([]),
        final_action_index: z.int().min(0).nullish(),
        ...sessionReport,
        trace_follows: z.boolean().default(false).meta({ description: 'The caller will send its own trace.' }),
        if_unchanged: z.boolean().default(false).meta({
          description: 'Refuse (409) when something that led here was changed by others since it was read.',
        }),
        branch: s.branch.default('main'),
        ...t.author,
      }),
    output: () =>
      z
        .object({
          ...outcome.shape,
          advice: z.string().nullable().meta({
            description: 'Where no confidence moved: why, and what to do about it.',
          }),
          duplicate: z.boolean().meta({
            description:
              'It had been committed before: nothing was counted again, and lesson and stale reads are not returned again.',
          }),
          affected_entries: z.int(),
          entries: z.array(affected),
          stale_reads: z.array(t.staleRead),
          immutable_trace_id: z.string().nullable(),
          lesson: z.object({ entity_path: s.entityPath, key: s.key, version: z.int() }).nullable(),
        })
        .meta({ id: 'CommittedOutcome' }),
    errors: ['branch_not_found', 'stale_reads'],
    example: (n) => ({
      outcome_ref: nth('deploy-2231', n),
      outcome_type: 'success',
      causal_entry_keys: [{ entity_path: 'checkout/payments', key: 'retry-policy' }],
      task_input: 'Roll out the new retry policy',
      response_text: 'Rolled out to 100 %',
    }),
  }),

  'outcomes.list': operation({
    summary: 'List outcomes',
    description: 'Newest first. `entity_path` finds outcomes that an entry below it led to.',
    module: 'outcomes',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/outcomes' },
    cli: { alias: 'outcomes' },
    tools: [
      {
        name: 'mem_outcomes',
        toolset: 'data',
        description: 'Committed outcomes and what each did to the confidence of entries, newest first.',
        fields: ['entity_path', 'key', 'outcome_ref', 'outcome_type', 'agent_id', 'limit', 'cursor', 'branch'],
        unlisted: ['session_id', 'since', 'until'],
        limit: 20,
      },
    ],
    input: () =>
      z
        .strictObject({
          outcome_ref: t.outcomeRef.optional(),
          outcome_type: t.outcomeType.optional(),
          entity_path: s.pathGlob.optional(),
          key: s.key
            .optional()
            .meta({ description: 'Only outcomes that entries with this key led to; with `entity_path`.' }),
          agent_id: s.agentId.optional().meta({ description: 'Only what this agent committed.' }),
          session_id: s.sessionId.optional(),
          branch: s.branch.default('main'),
          since: s.since,
          until: s.until,
          limit: s.limit,
          cursor: s.cursor,
        })
        .refine(({ key, entity_path }) => key === undefined || entity_path !== undefined, {
          message: 'needs entity_path',
          path: ['key'],
        }),
    output: () =>
      z.object({
        outcomes: z.array(
          outcome.extend({ entries: z.array(affected) }).meta({ id: 'ListedOutcome', description: 'An outcome.' }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({}),
  }),

  'stale_reads.list': operation({
    summary: 'List stale reads',
    description:
      'What sessions had read and others had changed by the time their outcomes were committed, newest first. A page that ' +
      'had to look at very many to fill its filters ends early, with `has_more`.',
    module: 'outcomes',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/stale-reads' },
    cli: { args: ['entity_path'], alias: 'stale-reads' },
    tools: [
      {
        name: 'mem_stale_reads',
        toolset: 'data',
        description: 'What sessions had read and others had changed before their outcomes, newest first.',
        fields: ['entity_path', 'agent_id', 'since', 'limit', 'cursor', 'branch'],
        unlisted: ['include_descendants', 'until'],
        limit: 20,
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional(),
        include_descendants: s.includeDescendants,
        agent_id: s.agentId.optional().meta({ description: 'Only what this agent read.' }),
        branch: s.branch.default('main'),
        since: s.since,
        until: s.until,
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        stale_reads: z.array(
          t.staleRead
            .extend({
              agent_id: s.agentId.meta({ description: 'Who read it.' }),
              session_id: z.string().nullable(),
              outcome_ref: z.string(),
              outcome_type: z.string(),
              trace_id: z.string().nullable(),
              committed_at: s.utc.meta({ description: 'When it was found, with the outcome.' }),
            })
            .meta({ id: 'ListedStaleRead', description: 'A stale read, and the outcome that it led to.' }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),
};
