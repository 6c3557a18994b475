import * as z from 'zod';
import { digestTypes } from '../digest-types.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const digestType = z.enum(digestTypes).meta({
  id: 'DigestType',
  description:
    '`entity`: what is known at a path; `agent_brief`: what an agent wrote; `source`: what an external source sent; ' +
    '`connection_map`: what a path is tied to; `trace_pattern`: what work that succeeded has read at a path.',
});

const place = { entity_path: s.entityPath, key: s.key };

const digestEntry = z
  .object({
    ...place,
    version: z.int(),
    memory_type: s.memoryType,
    confidence: z.number(),
    agent_id: z.string(),
    written_at: s.utc,
    recall_count: z.int(),
    evidence_status: s.evidenceStatus,
    success_count: z.int(),
    failure_count: z.int(),
    last_outcome_at: s.utc.nullable(),
  })
  .meta({ id: 'DigestEntry', description: 'An entry that a digest points at, as it stands now, without its value.' });

const entries = (description: string) => z.array(digestEntry).optional().meta({ description });

const sentence = z
  .object({
    text: z.string(),
    entries: z.array(z.object({ ...place, version: z.int() })).meta({ description: 'The entries behind it.' }),
  })
  .meta({ id: 'DigestSentence' });

const summary = z
  .object({
    narrative: z.string().meta({ description: 'All sentences, one after the other.' }),
    sentences: z.array(sentence),
    total_keys: z.int().meta({ description: 'Shared entries of the scope that the caller may read.' }),
    agents: z.array(z.string()).meta({ description: 'Authors of the entries that it points at; at most 20.' }),
    external_sources: z.array(z.string()).meta({ description: 'Authors `webhook/…` and `external/…`.' }),
    avg_confidence: z.number().nullable(),
    last_write: s.utc.nullable(),
    entities: z.array(z.string()).meta({ description: 'The paths of the entries shown; at most 20.' }),
    top_keys: entries('The most trusted.'),
    newest: entries('The last ones written.'),
    most_recalled: entries('Those that were read most.'),
    validated: entries('Those that outcomes support.'),
    contested: entries('Those that outcomes both support and question.'),
    discredited: z
      .array(
        digestEntry.extend({
          replaced_by: z.array(z.object({ ...place, version: z.int() })).meta({
            description: 'Later entries at the same path with a word of its key in theirs, none of them refuted.',
          }),
        }),
      )
      .optional()
      .meta({ description: 'Those that outcomes refuted.' }),
    procedures: entries('How things are done here.'),
    risks: entries('Keys that begin with `risk-`.'),
    outcomes: z
      .array(
        z.object({
          outcome_ref: z.string(),
          outcome_type: z.string(),
          agent_id: z.string(),
          committed_at: s.utc,
          entries: z.array(z.object({ ...place, version: z.int() })),
        }),
      )
      .optional()
      .meta({ description: 'The newest outcomes that entries of the scope led to.' }),
    event_types: z
      .record(z.string(), z.int())
      .optional()
      .meta({ description: 'Of a source: the entries shown by the beginning of their keys, up to the first `-`.' }),
    trace_count: z.int().optional().meta({ description: 'Successes that the pattern was found in, at most 25.' }),
    top_read_keys: z
      .array(z.object({ ...place, version: z.int(), count: z.int() }))
      .optional()
      .meta({ description: 'What these successes have read most.' }),
    total_edges: z.int().optional().meta({ description: 'Edges shown; at most 100.' }),
    connected_entities: z.array(z.string()).optional(),
    relations: z
      .record(z.string(), z.object({ count: z.int(), targets: z.array(z.string()), avg_confidence: z.number() }))
      .optional(),
  })
  .meta({ id: 'DigestSummary' });

export const digest = z
  .object({
    digest_type: digestType,
    scope: z.string().meta({ description: 'A path, or the name of an agent or a source.' }),
    branch: s.branch,
    summary,
    entry_count: z.int().meta({ description: 'As `total_keys`; of a map its edges, of a pattern its successes.' }),
    source_agents: z.array(z.string()).meta({ description: 'Whose entries it is made of.' }),
    anticipation_score: z.number().meta({
      description:
        'In a briefing: the chance that the next session of the agent reads something at these paths or below; 0 elsewhere.',
    }),
    compiled_at: s.utc,
    staleness_ms: z.int().meta({ description: 'How long ago it was compiled.' }),
    seq: z.int().meta({ description: 'The place in the log up to which it is compiled.' }),
  })
  .meta({ id: 'Digest', description: 'What is known of a scope, from shared entries that the caller may read.' });

const scope = s.text(512).min(1).meta({ description: 'A path, or the name of an agent or a source.' });
const filters = { digest_type: digestType.optional(), branch: s.branch.default('main') };
const limit = z.int().min(1).max(100).default(20).meta({ description: 'Page size, 1 to 100.' });

const worker = z
  .object({
    is_running: z.boolean().meta({ description: 'Whether this server compiles digests.' }),
    seq: z.int().meta({ description: 'All changes up to here are compiled.' }),
    last_seq: z.int().meta({ description: 'The end of the log.' }),
    lag: z.int().meta({ description: 'Changes that are not compiled yet; beyond 500 all later events count.' }),
    waiting_ms: z.int().meta({ description: 'How long the oldest of these has been waiting.' }),
    due: z.int().meta({ description: 'Digests that the first 500 of these make due.' }),
    due_is_complete: z.boolean(),
    attempts: z.int().meta({ description: 'Failures in a row at the change it is at.' }),
    last_error: z.string().nullable(),
    retry_at: s.utc.nullable(),
    failures: z.int().meta({ description: 'Changes that it gave up on; `consumers.retry` tries them again.' }),
  })
  .meta({ id: 'CortexWorker' });

type DigestCounts = Record<(typeof digestTypes)[number], z.ZodInt>;

const status = z
  .object({
    status: z.enum(['idle', 'compiling', 'failing', 'stopped']),
    worker,
    digest_count: z.int(),
    digest_types: z.object(Object.fromEntries(digestTypes.map((type) => [type, z.int()])) as DigestCounts),
    max_digests: z.int().meta({ description: 'With more, those that were compiled longest ago give way.' }),
    last_compiled_at: s.utc.nullable(),
  })
  .meta({ id: 'CortexStatus' });

const activity = z
  .object({
    events: z.array(
      z.object({
        type: z.enum(['digest_compiled', 'compilation_error']),
        at: s.utc,
        seq: z.int(),
        digest: z
          .object({ digest_type: digestType, scope: z.string(), branch: s.branch, entry_count: z.int() })
          .nullable(),
        error: z.string().nullable().meta({ description: 'The kind of error.' }),
      }),
    ),
    total: z.int().meta({ description: 'Events of this answer.' }),
    throughput: z.array(z.object({ minute: s.utc, compiled: z.int() })).meta({
      description: 'Of the last 60 minutes, how often a digest was compiled in each, among the newest 5,000 events.',
    }),
  })
  .meta({ id: 'CortexActivity' });

const about = { module: 'cortex', cost: 1 } as const;

export const cortex = {
  'cortex.recompile': operation({
    summary: 'Compile digests again',
    description:
      'Within the call: all digests of a scope, or those of the branch that were compiled longest ago. Changes make digests ' +
      'due by themselves: this is for when something is in doubt.',
    module: 'cortex',
    cost: 2,
    whole: true,
    effect: 'write',
    http: { method: 'POST', path: '/api/v1/cortex/recompile' },
    cli: { args: ['scope'], alias: 'recompile' },
    input: () =>
      z.strictObject({
        ...filters,
        scope: scope.optional(),
        before_seq: z
          .int()
          .min(0)
          .optional()
          .meta({ description: 'Only digests compiled before this place in the log; default: its end.' }),
        limit,
      }),
    output: () =>
      z.object({
        recompiled: z.int(),
        removed: z.int().meta({ description: 'Digests whose scope has nothing left that everybody may see.' }),
        before_seq: z.int().meta({ description: 'With `has_more`, hand this back for the rest.' }),
        has_more: z.boolean(),
      }),
    errors: ['branch_not_found', 'forbidden'],
    example: () => ({ scope: 'checkout/payments' }),
  }),

  'digests.list': operation({
    summary: 'List digests',
    description:
      'What the worker compiled from shared entries and outcomes: per path, agent and source, by type and scope. Entries, ' +
      'sentences and counts are those that the caller may see.',
    ...about,
    effect: 'read',
    http: { method: 'GET', path: '/api/v1/cortex/digests' },
    cli: { args: ['digest_type', 'scope'], alias: 'digests' },
    input: () =>
      z.strictObject({
        ...filters,
        scope: scope.optional(),
        entity_path: s.pathGlob.optional().meta({ description: 'Only digests about these paths.' }),
        limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        digests: z.array(digest),
        total: z.int().meta({ description: 'Digests of this page.' }),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({ digest_type: 'entity' as const }),
  }),

  'cortex.status': operation({
    summary: 'The state of the worker that compiles digests',
    description:
      'How far it is behind the log of the account, what is due, what failed, and how many digests there are of each type. ' +
      'It is read from the store, so that every server gives the same answer.',
    ...about,
    whole: true,
    effect: 'read',
    http: { method: 'GET', path: '/api/v1/cortex/status' },
    cli: { alias: 'cortex' },
    input: () => z.strictObject({}),
    output: () => status,
    errors: ['forbidden'],
    example: () => ({}),
  }),

  'cortex.activity': operation({
    summary: 'What the worker did last',
    description: 'Digests by the time they were last compiled, newest first, and changes that it gave up on.',
    ...about,
    whole: true,
    effect: 'read',
    http: { method: 'GET', path: '/api/v1/cortex/activity' },
    cli: { alias: 'cortex-activity' },
    input: () =>
      z.strictObject({
        limit: z.int().min(1).max(200).default(50).meta({ description: 'How many, 1 to 200.' }),
      }),
    output: () => activity,
    errors: ['forbidden'],
    example: () => ({ limit: 20 }),
  }),
};
