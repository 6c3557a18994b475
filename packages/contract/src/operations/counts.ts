import * as z from 'zod';
import { fromPath } from '../list-order.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const share = z.number().min(0).max(1).nullable();

const retrievalFigures = z
  .object({
    golden_queries: z.int().meta({ description: 'Questions whose answer is known, see `golden.list`.' }),
    replayed: z.int().meta({ description: 'Those that were asked again. The figures below are of these.' }),
    recall_at_5: share.meta({ description: 'How often the answer was among the first 5 hits.' }),
    recall_at_10: share,
    recall_at_20: share,
    mrr: share.meta({ description: 'Mean reciprocal rank of the answer.' }),
    stale_hit_rate: share.meta({
      description:
        'How often outcomes refuted the answer since, or another value replaced it; these are not looked for.',
    }),
    duplicate_rate: share.meta({ description: 'Of the first 10 hits, the share that nearly repeats one before it.' }),
    replayed_at: s.utc.nullable().meta({ description: 'When questions were last asked again.' }),
    weights: z
      .enum(['default', 'fitted'])
      .meta({ description: 'What answers are weighed with, see `retrieval.read`.' }),
  })
  .meta({ id: 'RetrievalFigures' });

export const counts = {
  'entities.list': operation({
    summary: 'List entity paths',
    description: 'Paths that hold entries the caller may see, with counts.',
    module: 'counts',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: { method: 'GET', path: '/api/v1/entities' },
    cli: { args: ['entity_path'], alias: 'entities' },
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional(),
        from_path: fromPath,
        branch: s.branch.default('main'),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        entities: z.array(
          z
            .object({
              entity_path: s.entityPath,
              entry_count: z.int(),
              avg_confidence: z.number(),
              last_updated: s.utc,
              last_agent: s.agentId,
            })
            .meta({ id: 'Entity' }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),

  'entities.tree': operation({
    summary: 'List one level of the tree of paths',
    description:
      'The next segments below a path, by name, with how much is below each of them, so that a client can open a tree ' +
      'level by level. What is at a path and what is below it are two rows. A page adds up 100,000 paths at most (entries, ' +
      'for an earlier state or a branch that inherits from another); it ends with a row that has more, whose `complete` is false. ' +
      'A key with a scope is shown what lies within it.',
    module: 'counts',
    effect: 'read',
    lists_below: true,
    cost: 1,
    in_room: 'paths',
    http: { method: 'GET', path: '/api/v1/tree' },
    cli: { args: ['entity_path'], alias: 'tree' },
    tools: [
      {
        name: 'mem_tree',
        toolset: 'data',
        description: 'The next level of paths below a path, with how many entries each has.',
        fields: ['entity_path', 'limit', 'cursor', 'branch'],
        about: { entity_path: 'Without it, the first level' },
        limit: 50,
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.entityPath
          .optional()
          .meta({ description: 'The path whose next level is listed. Without it, the first level.' }),
        branch: s.branch.default('main'),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        nodes: z.array(
          z
            .object({
              entity_path: s.entityPath,
              below: z
                .boolean()
                .meta({ description: 'True: what is below the path. False: what is at the path itself.' }),
              entry_count: z.int(),
              path_count: z.int().meta({ description: 'How many paths with entries the row adds up.' }),
              last_updated: s.utc,
              complete: z.boolean().meta({ description: 'False: there is more than the row adds up.' }),
            })
            .meta({ id: 'PathNode' }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({ entity_path: 'checkout' }),
  }),

  'stats.read': operation({
    summary: 'Memory statistics',
    module: 'counts',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/stats' },
    cli: { alias: 'stats' },
    tools: [
      {
        name: 'mem_stats',
        toolset: 'core',
        description: 'How much memory there is: entries, paths, agents, types.',
        fields: ['branch'],
      },
    ],
    input: () => z.strictObject({ branch: s.branch.default('main') }),
    output: () =>
      z.object({
        total_entries: z.int(),
        total_entities: z.int(),
        total_agents: z.int(),
        total_patterns: z.int(),
        confidence_avg: z.number().nullable(),
        memory_type_counts: z.record(z.string(), z.int()),
        oldest_entry_at: s.utc.nullable(),
        newest_entry_at: s.utc.nullable(),
        last_seq: z.int().meta({ description: 'Sequence number of the newest event in the log.' }),
        retrieval: retrievalFigures.nullable().meta({
          description: 'How well questions are answered. Null for a key with a scope, and for earlier states.',
        }),
      }),
    errors: ['branch_not_found'],
    example: () => ({}),
  }),

  'patterns.list': operation({
    summary: 'List pattern references',
    description: 'Each reference with the number of current entries that carry it.',
    module: 'counts',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/patterns' },
    cli: { alias: 'patterns' },
    input: () => z.strictObject({ branch: s.branch.default('main'), limit: s.limit, cursor: s.cursor }),
    output: () =>
      z.object({
        patterns: z.array(
          z.object({ pattern_ref: z.string(), usage_count: z.int(), last_used: s.utc }).meta({ id: 'Pattern' }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({}),
  }),
};
