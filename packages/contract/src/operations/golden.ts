import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';

const goldenId = s
  .label(64)
  .meta({ description: 'The id of a golden query.', examples: ['0f8fad5bd9cb469fa16570867728950e'] });

const goldenQuery = z
  .object({
    golden_id: goldenId,
    question: z.string(),
    asked_with: z.enum(['retrieve', 'search', 'given']).meta({ description: '`given`: somebody said so.' }),
    asked_at: s.pathGlob.nullable().meta({ description: 'The paths that were asked; null for all.' }),
    include_descendants: z.boolean(),
    agent_id: s.agentId.meta({ description: 'Who asked.' }),
    entity_path: s.entityPath,
    key: s.key,
    version: z.int().meta({ description: 'The version that helped.' }),
    times: z.int().meta({ description: 'How many good outcomes confirm it, or how often it was given.' }),
    first_at: s.utc,
    last_at: s.utc,
    rank: z.int().nullable().meta({
      description:
        'Its place when it was last asked again; 0 where it was not among the first 20. Null: not yet, and for keys with a scope.',
    }),
    stale: z.boolean().nullable().meta({
      description: 'Whether outcomes refuted the entry by then, or another value replaced the one that helped.',
    }),
    replayed_at: s.utc.nullable().meta({ description: 'When it was last asked again; null: not yet.' }),
  })
  .meta({ id: 'GoldenQuery', description: 'A question, and an entry that is known to have answered it.' });

const share = z.number().min(0).max(1);

const weights = z.object({ semantic_weight: share, confidence_weight: share, evidence_weight: share });

const fitWeights = z
  .boolean()
  .meta({ description: 'Whether the weights of answers are fitted to the golden queries.' });

const retrieval = z
  .object({
    fit_weights: fitWeights,
    weights: weights.nullable().meta({
      description: 'The fitted weights; null while the default ones are not worse on the questions held out.',
    }),
    fitted_on: z.int().nullable().meta({ description: 'How many golden queries they were fitted on.' }),
    held_out: z.int().nullable().meta({ description: 'How many others they were compared on.' }),
    mrr_default: share.nullable().meta({ description: 'Mean reciprocal rank on those held out, default weights.' }),
    mrr_fitted: share.nullable().meta({ description: 'The same with the best weights that were found.' }),
    fitted_at: s.utc.nullable(),
  })
  .meta({ id: 'RetrievalSettings' });

const about = { module: 'golden', admin: true, whole: true } as const;

export const golden = {
  'golden.list': operation({
    summary: 'List golden queries',
    description:
      'Questions whose hit was read, or named as used, in a session that ended well: what a good search must find again. ' +
      'They are collected a moment after the outcome. Newest first.',
    module: 'golden',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/golden-queries' },
    cli: { args: ['entity_path'], alias: 'golden-queries' },
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional().meta({ description: 'Only those whose entry is there.' }),
        branch: s.branch.default('main'),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ golden_queries: z.array(goldenQuery), ...s.page }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({}),
  }),

  'golden.create': operation({
    summary: 'Add a golden query',
    description: 'A question that an entry answers. The same one again changes nothing.',
    module: 'golden',
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/golden-queries',
      status: 201,
      location: '/api/v1/golden-queries/{golden_id}',
    },
    cli: { args: ['question', 'entity_path', 'key'], alias: 'add-golden-query' },
    input: () =>
      z.strictObject({
        question: s.label(1_000).meta({ description: 'The question.', examples: ['how often is a payment retried?'] }),
        entity_path: s.entityPath,
        key: s.key,
        branch: s.branch.default('main'),
      }),
    output: () => goldenQuery,
    errors: ['not_found', 'branch_not_found'],
    example: (n) => ({
      question: nth('how often is a payment retried?', n),
      entity_path: 'checkout/payments',
      key: 'retry-policy',
    }),
  }),

  'golden.delete': operation({
    summary: 'Delete a golden query',
    description: 'One that is wrong: the entry did not answer the question. It comes again if it helps again.',
    module: 'golden',
    effect: 'write',
    cost: 2,
    removes: 'golden.create',
    http: { method: 'DELETE', path: '/api/v1/golden-queries/{golden_id}' },
    cli: { args: ['golden_id'], alias: 'delete-golden-query' },
    input: () => z.strictObject({ golden_id: goldenId }),
    output: () => z.object({ golden_id: goldenId, deleted: z.literal(true) }),
    errors: ['not_found'],
    example: () => ({ golden_id: '0f8fad5bd9cb469fa16570867728950e' }),
  }),

  'retrieval.read': operation({
    summary: 'See how answers to questions are weighed',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/retrieval' },
    cli: { alias: 'retrieval' },
    input: () => z.strictObject({}),
    output: () => retrieval,
    errors: ['forbidden'],
    example: () => ({}),
  }),

  'retrieval.set': operation({
    summary: 'Fit how answers to questions are weighed',
    description:
      'With `fit_weights` the weights of meaning, confidence and evidence are fitted to the golden queries of the account from ' +
      'time to time, and used where they are not worse than the default on golden queries held out. Without it they are ' +
      'forgotten.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PUT', path: '/api/v1/admin/retrieval' },
    cli: { alias: 'set-retrieval' },
    input: () => z.strictObject({ fit_weights: fitWeights }),
    output: () => retrieval,
    errors: ['forbidden'],
    example: (n) => ({ fit_weights: n % 2 === 0 }),
  }),
};
