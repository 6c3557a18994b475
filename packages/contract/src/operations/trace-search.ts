import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import * as t from '../trace-shapes.ts';

const scalar = z.union([z.string().max(256), z.number(), z.boolean()]);
const milliseconds = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const word = s.text(256).min(1);

export const facetNames = [
  'agent_id',
  'outcome_type',
  'model',
  'tool_name',
  'span_name',
  'span_kind',
  'has_error',
  'attributes',
] as const;

const foundTrace = z
  .object({
    trace_id: z.string(),
    agent_id: s.agentId,
    session_id: z.string().nullable(),
    branch: s.branch,
    outcome_ref: z.string().nullable(),
    outcome_type: z.string().nullable(),
    task_input: z.string().nullable().meta({ description: 'Its beginning.' }),
    response_text: z.string().nullable().meta({ description: 'Its beginning.' }),
    attributes: t.attributes,
    models: z.array(z.string()),
    tools: z.array(z.string()).meta({ description: 'Names of the tools it called.' }),
    has_error: z.boolean(),
    error_count: z.int(),
    action_count: z.int(),
    span_count: z.int(),
    total_llm_calls: z.int(),
    total_tokens: z.int(),
    total_cost_usd: z.number().nullable().meta({ description: 'Null when any cost is unknown, or none was recorded.' }),
    known_cost_usd: z.number().nullable(),
    session_duration_ms: z.number().nullable(),
    created_at: s.utc,
    seq: z.int(),
  })
  .meta({ id: 'FoundTrace', description: 'A trace in short; `traces.read` gives it whole.' });

const facet = z
  .object({
    name: z.string().meta({ description: 'As asked for; attributes are `attributes.<key>`.' }),
    values: z.array(z.object({ value: z.union([scalar, z.null()]), count: z.int() })),
    other_values: z.int().meta({ description: 'How many further values there are.' }),
  })
  .meta({ id: 'Facet', description: 'How many traces have each value, the most frequent first.' });

export const traceSearch = {
  'traces.search': operation({
    summary: 'Search traces',
    description:
      'Finds traces by all the words of `query`, in task, response, contexts, tool calls with their arguments and results, ' +
      'model calls, spans with their payloads, errors and attributes; by facts; and by what they read. Newest first, or as ' +
      '`sort_by` says. Facets count the newest 1,000 that match, and `complete` says whether these are all.',
    module: 'trace-navigation',
    effect: 'read',
    cost: 1,
    // Matches are looked at in parts until a page is full.
    items_per_statement: 25,
    http: { method: 'POST', path: '/api/v1/pro/traces/search' },
    cli: { args: ['query'], alias: 'search-traces' },
    input: () =>
      z.strictObject({
        query: z
          .string()
          .max(4096)
          .optional()
          .meta({ description: 'Words, all of them; "quoted" ones in this order; a star ends a prefix.' }),
        attributes: z
          .record(s.text(64), scalar)
          .refine((given) => Object.keys(given).length <= 20, 'has more than 20 keys')
          .optional()
          .meta({ description: 'All of these, by key.' }),
        span_name: word.optional().meta({ description: 'Words of the name of a span, one after the other.' }),
        span_kind: z
          .enum(t.spanKinds)
          .optional()
          .meta({ description: 'With a span of this kind; with `span_name`, the same one.' }),
        model: word.optional().meta({ description: 'A language model that was called.' }),
        tool_name: word.optional().meta({ description: 'A tool that was called.' }),
        has_error: z
          .boolean()
          .optional()
          .meta({ description: 'With or without an error, a failed action, span or model call.' }),
        outcome_type: t.outcomeType.optional(),
        agent_id: s.agentId.optional().meta({ description: 'Only sessions of this agent.' }),
        entity_path: s.pathGlob.optional().meta({ description: 'Traces that read an entry there.' }),
        key: s.key.optional().meta({ description: 'Together with `entity_path`: the entry that was read.' }),
        version: s.version.optional().meta({ description: 'Together with `key`: the version that was read.' }),
        min_cost_usd: t.usd.optional().meta({ description: 'Traces whose cost is known and at least this.' }),
        max_cost_usd: t.usd.optional(),
        min_duration_ms: milliseconds.optional(),
        max_duration_ms: milliseconds.optional(),
        since: s.since,
        until: s.until,
        branch: s.branch.default('main'),
        sort_by: z
          .enum(['newest', 'oldest', 'cost', 'duration'])
          .default('newest')
          .meta({ description: 'Cost and duration: the highest first.' }),
        facets: z
          .array(z.enum(facetNames))
          .max(facetNames.length)
          .default([])
          .meta({ description: 'What to count the matches by.' }),
        limit: z.int().min(1).max(100).default(20).meta({ description: 'Page size, 1 to 100.' }),
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        traces: z.array(foundTrace),
        facets: z.array(facet),
        counted: z.int().nullable().meta({ description: 'How many traces the facets are of; null without facets.' }),
        complete: z.boolean().meta({
          description: 'False: there are more matches than were counted, or older traces are still being indexed.',
        }),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({ facets: ['outcome_type' as const] }),
  }),
};
