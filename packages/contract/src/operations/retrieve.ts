import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

/** How much meaning, confidence and evidence count in the answer to a question, where nothing else is fitted or asked for. */
export const DEFAULT_WEIGHTS = { semantic_weight: 0.5, confidence_weight: 0.2, evidence_weight: 0.15 } as const;

const share = (description: string) => z.number().min(0).max(1).meta({ description });

/** Left out, it is the default, or what was fitted to the golden queries of the account. */
const fitted = (name: keyof typeof DEFAULT_WEIGHTS, description: string) =>
  share(`${description} Default: ${DEFAULT_WEIGHTS[name]}, or as fitted.`).optional();

const breakdown = z
  .object({
    meaning: z.number().meta({ description: 'How much nearer to the question than candidates that fit least.' }),
    words: z.number().meta({ description: 'The share of the words of the question that it has, rare ones most.' }),
    related: z.number().meta({ description: 'Words, a path and a key that mean nearly the same as the question.' }),
    neighbours: z
      .number()
      .meta({ description: 'From the entries written just before and after it, and the best of the same session.' }),
    rerank: z.number().meta({ description: 'Where a reranker put it higher or lower; 0 without one.' }),
    confidence: z.number(),
    evidence: z.number().meta({ description: 'What outcomes made of it; negative where they speak against it.' }),
    recency: z.number().meta({ description: 'Where the question has a time: how near to it the entry was written.' }),
    artifact: z.number().meta({ description: 'Half of the rest is taken from source and configuration files.' }),
  })
  .meta({ id: 'RecallBreakdown', description: 'The parts of a score; they add up to it.' });

const recalled = s.entry
  .extend({
    value: s.anyJson.optional().meta({ description: 'Left out with `compact` and with `max_tokens`.' }),
    score: z.number(),
    breakdown,
    passage: z.string().meta({ description: 'The part of the value that fits best; all of a short one.' }),
    tokens: z.int().meta({ description: 'About how many tokens the passage takes in a context.' }),
  })
  .meta({ id: 'RecalledEntry', description: 'An entry that helps to answer, and why it was chosen.' });

const failures = ['timeout', 'unreachable', 'refused', 'limited', 'bad_answer', 'budget'] as const;

const fallback = z
  .object({
    from: z.string().meta({ description: 'The embedder that the operator chose.' }),
    reason: z.enum(['building', ...failures]).meta({
      description:
        '`building`: its vectors are being made. Otherwise, why it gave no vector of the question in time or, with ' +
        '`progress`, why its vectors cannot be made now.',
    }),
    progress: z
      .number()
      .optional()
      .meta({ description: 'Until its vectors are made: the share of the log that is done, 0 to 1.' }),
  })
  .meta({
    id: 'EmbedderFallback',
    description: 'Present where another embedder compared than the one that was chosen.',
  });

const reranker = z
  .object({
    model: z.string(),
    reordered: z.int().meta({ description: 'How many of the best entries it put into order.' }),
    failure: z.enum(failures).nullable().meta({ description: 'Why the order is the one without it.' }),
  })
  .meta({ id: 'RecallReranker', description: 'Present where the operator has set up a reranker.' });

const answerability = z
  .object({
    chance: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          'Calibrated where as many questions have an answer as have none. Low: say that it is not known. Null where it ' +
          'cannot be told: `max_ms` left no time to compare meaning, or the question is only a time.',
      }),
    signs: z
      .object({
        meaning: z.number().nullable().meta({ description: 'How near the nearest of the best hits is.' }),
        words: z.number().meta({ description: 'The share of the words, by weight, that one of the best hits has.' }),
        margin: z.number().nullable().meta({ description: 'How much nearer that is than the hits after it.' }),
        neighbours: z.number().meta({ description: 'How well the entries around one of the best hits fit.' }),
      })
      .meta({ id: 'AnswerSigns', description: 'What the chance is made of; null where meaning was not compared.' }),
  })
  .meta({ id: 'Answerability', description: 'The chance that memory holds the answer at all.' });

const weightsUsed = z
  .object({
    source: z.enum(['default', 'fitted', 'given']).meta({
      description: '`fitted`: to the golden queries of the account; `given`: all of them in the request.',
    }),
    semantic_weight: z.number(),
    confidence_weight: z.number(),
    evidence_weight: z.number(),
  })
  .meta({ id: 'RecallWeights', description: 'The weights that the scores were made with.' });

const place = { entity_path: s.entityPath, key: s.key };

export const retrieve = {
  'entries.retrieve': operation({
    summary: 'Retrieve what helps to answer a question',
    description:
      'A question in plain language. Entries are found by their words and by their meaning, so that "nuts allergy" finds ' +
      '"allergic to peanuts". A time in the question ("last week") is understood and prefers what was written then. Entries ' +
      'that outcomes refuted are apart, in `avoid`. Only the first entry counts as recalled.',
    module: 'recall',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: { method: 'POST', path: '/api/v1/retrieve' },
    cli: { args: ['query'], alias: 'ask' },
    tools: [
      {
        name: 'mem_retrieve',
        toolset: 'core',
        slim: ['query', 'entity_path', 'limit', 'max_tokens', 'branch'],
        hits: true,
        shows: ['breakdown'],
        description: 'Ask memory a question in plain language: finds by meaning too.',
        fields: ['query', 'entity_path', 'limit', 'max_tokens', 'branch'],
        unlisted: [
          ...['include_descendants', 'agent_id', 'memory_type', 'min_confidence'],
          ...['max_confidence', 'pattern_ref', 'since', 'until'],
          ...['include_artifacts', 'neighbours', 'include_avoid', 'include_discredited'],
          ...['adaptive_k', 'depth', 'compact', 'max_ms'],
          ...['semantic_weight', 'recency_weight', 'confidence_weight', 'evidence_weight'],
        ],
        about: {
          query: 'The question',
          entity_path: 'Path or a/**',
          max_tokens: 'Whole passages that fit',
        },
        limit: 10,
        miss: 'other words, no entity_path, or mem_list to see what is there',
      },
    ],
    input: () =>
      z.strictObject({
        query: z
          .string()
          .min(1)
          .max(4096)
          .meta({ description: 'The question.', examples: ['who pays for failed retries?'] }),
        entity_path: s.pathGlob.optional(),
        include_descendants: s.includeDescendants,
        branch: s.branch.default('main'),
        agent_id: s.agentId.optional().meta({ description: 'Only what this agent wrote.' }),
        memory_type: s.memoryType.optional(),
        pattern_ref: s.patternRef.optional(),
        min_confidence: s.confidence.optional(),
        max_confidence: s.confidence.optional(),
        since: s.since,
        until: s.until,
        include_artifacts: z
          .boolean()
          .default(true)
          .meta({ description: 'Also values that look like source or configuration files.' }),
        neighbours: z
          .boolean()
          .optional()
          .meta({
            description:
              'Also weigh the entries written just before and after, in the same session or at the same path. Default: where ' +
              'entries are a sequence, such as a conversation.',
          }),
        include_avoid: z.boolean().default(true).meta({ description: 'Show what outcomes refuted, in `avoid`.' }),
        include_discredited: z
          .boolean()
          .default(false)
          .meta({ description: 'Show what outcomes refuted among the entries, and not apart.' }),
        adaptive_k: z.boolean().default(false).meta({
          description: 'Where outcomes confirmed the best entry: only those with at least 85% of its score.',
        }),
        depth: z.int().min(1).max(3).default(3).meta({
          description: 'Up to which tier: 1 hot, 2 also warm, 3 all. So far every entry is in tier 3.',
        }),
        compact: z.boolean().default(false).meta({ description: 'Passages alone, without the values.' }),
        semantic_weight: fitted('semantic_weight', 'Meaning against words: 0 is words alone, 1 meaning alone.'),
        recency_weight: share('How much a time in the question counts.').default(0.3),
        confidence_weight: fitted('confidence_weight', 'How much confidence counts.'),
        evidence_weight: fitted('evidence_weight', 'How much outcomes count.'),
        limit: z.int().min(1).max(100).default(10).meta({ description: 'The most entries, 1 to 100.' }),
        max_tokens: z.int().min(1).max(1_000_000).optional().meta({
          description: 'Whole passages as long as they fit in so many tokens; `left_out` has the others.',
        }),
        max_ms: z.int().min(1).max(60_000).optional().meta({
          description: 'After this time nothing more is looked up; `skipped` says what was left undone.',
        }),
      }),
    output: () =>
      z.object({
        entries: z.array(recalled),
        avoid: z.array(recalled).meta({ description: 'At most three that outcomes refuted.' }),
        left_out: z.array(z.object({ ...place, tokens: z.int(), avoid: z.literal(true).optional() })).meta({
          description: 'Entries whose passages did not fit in `max_tokens`; `avoid` where outcomes refuted it.',
        }),
        tokens: z.int().meta({ description: 'About how many tokens all passages take.' }),
        answerability,
        time: z
          .object({ phrase: z.string(), since: s.utc, until: s.utc })
          .nullable()
          .meta({ description: 'The time that was found in the question.' }),
        index: z
          .object({
            embedder: z
              .string()
              .nullable()
              .meta({ description: 'Null where entries were found by their words alone.' }),
            behind: z.int().meta({
              description: 'Entries that have no vector yet and were found by their words alone; counted up to 1000.',
            }),
            fallback: fallback.optional(),
          })
          .meta({ id: 'RecallIndex', description: 'What meaning was compared with.' }),
        weights: weightsUsed,
        skipped: z
          .array(z.enum(['meaning', 'neighbours', 'related', 'rerank', 'passages']))
          .meta({ description: 'Steps that `max_ms` left no time for.' }),
        reranker: reranker.optional(),
        truncated: z
          .boolean()
          .meta({ description: 'More entries matched by words than were looked at, or than fit in the answer.' }),
      }),
    errors: ['branch_not_found'],
    example: () => ({ query: 'who pays for failed retries?', entity_path: 'checkout/**' }),
  }),
};
