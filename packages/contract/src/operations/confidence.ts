import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const storyStep = z
  .object({
    kind: z.enum(['written', 'restated', 'outcome', 'demoted', 'verdict']),
    version: z.int(),
    at: s.utc,
    agent_id: s.agentId,
    outcome_ref: z.string().nullable(),
    outcome_type: z.string().nullable(),
    judge_id: z
      .string()
      .nullable()
      .meta({ description: 'Of a verdict; null for everything else, as are the next two.' }),
    judge_version: z.int().nullable(),
    verdict: z
      .enum(['pass', 'fail', 'withdrawn'])
      .nullable()
      .meta({ description: '`withdrawn`: a verdict that counted before counts no more.' }),
    overruled: z.boolean().meta({ description: "Somebody's word took the place of the judge's." }),
    attempt: z.int().nullable(),
    model: z.string().nullable(),
    causal_confidence: z.number().nullable(),
    n_causal: z.int().nullable(),
    surprise: z.number().nullable(),
    weight: z.number().nullable(),
    confidence_before: z.number().nullable(),
    confidence_after: z.number(),
    evidence_success: z.number(),
    evidence_failure: z.number(),
    why: z.string(),
  })
  .meta({ id: 'ConfidenceStep' });

export const confidence = {
  'entries.confidence': operation({
    summary: 'Explain how a confidence came about',
    description:
      'Every claim that was written, and every outcome and verdict that counted, with the numbers before and after, oldest first, and ' +
      'whether computing it again gives the stored number.',
    module: 'outcomes',
    effect: 'read',
    cost: 1,
    http: {
      method: 'GET',
      path: '/api/v1/entries/{entity_path}/{key}/confidence',
      aliases: [{ method: 'GET', path: '/api/v1/confidence' }],
    },
    cli: { args: ['entity_path', 'key'], alias: 'confidence' },
    input: () => z.strictObject(s.address),
    output: () =>
      z
        .object({
          entity_path: s.entityPath,
          key: s.key,
          branch: s.branch,
          version: z.int(),
          confidence: s.confidence,
          effective_confidence: z.number(),
          half_life_days: z.number().nullable(),
          evidence_status: s.evidenceStatus,
          prior_confidence: z.number().nullable(),
          evidence_success: z.number(),
          evidence_failure: z.number(),
          summary: z.string(),
          steps: z.array(storyStep),
          truncated: z.boolean().meta({ description: 'Older claims of the entry are left out.' }),
          recomputed: z.object({ confidence: z.number(), matches: z.boolean() }).meta({
            description: 'The number computed again from the ledger.',
          }),
        })
        .meta({ id: 'ConfidenceStory' }),
    errors: ['not_found', 'branch_not_found'],
    example: () => ({ entity_path: 'checkout/payments', key: 'retry-policy' }),
  }),

  'outcomes.calibration': operation({
    summary: 'Compare confidence with outcomes',
    description:
      'How often entries with a given confidence led to success, in ten buckets, over the newest evidence of the ' +
      'account, an agent or a path.',
    module: 'outcomes',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/calibration' },
    cli: { alias: 'calibration' },
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional(),
        agent_id: s.agentId.optional().meta({ description: 'Only entries that this agent wrote.' }),
        branch: s.branch.default('main'),
        since: s.since,
        until: s.until,
      }),
    output: () =>
      z
        .object({
          n: z.int(),
          successes: z.int(),
          brier_score: z.number().nullable(),
          expected_calibration_error: z.number().nullable().meta({
            description: 'How far confidence is from the success rate, on average over all tests.',
          }),
          learned_calibration_error: z.number().nullable().meta({
            description:
              'The same of `expected_success_rate`, each learned only from the outcomes before the one that it is held against.',
          }),
          buckets: z.array(
            z.object({
              from: z.number(),
              to: z.number(),
              n: z.int(),
              successes: z.int(),
              success_rate: z.number().nullable(),
              mean_confidence: z.number().nullable(),
              expected_success_rate: z.number().nullable().meta({
                description:
                  'What a confidence in this bucket means now: the success rate to be expected, by these outcomes, of which newer ones count more.',
              }),
            }),
          ),
          truncated: z.boolean(),
        })
        .meta({ id: 'Calibration' }),
    errors: ['branch_not_found'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),
};
