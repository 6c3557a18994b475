import * as z from 'zod';
import { behaviorId } from '../behavior-shapes.ts';
import * as j from '../judge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const MAX_TRACES = 1_000_000;

const backfillId = s.label(64).meta({ description: 'Which backfill.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

const backfill = z
  .object({
    backfill_id: backfillId,
    judge_id: j.judgeId
      .nullable()
      .meta({ description: 'Null for all that are active and ask no model, or for a behavior.' }),
    behavior_id: behaviorId.nullable().meta({ description: 'Which behavior is looked for; null where judges judge.' }),
    for_agent: s.agentId.nullable(),
    sampling_rate: j.samplingRate,
    limit: z.int(),
    status: z
      .enum(['running', 'done', 'cancelled', 'stopped'])
      .meta({ description: '`stopped`: a model could not be asked any more; `reason` says why.' }),
    reason: z.string().nullable().meta({ description: 'Why it was stopped.' }),
    progress: z.number().meta({ description: 'How far through the log it is, 0 to 1.' }),
    traces: z.int().meta({ description: 'How many traces were looked at.' }),
    verdicts: z
      .int()
      .meta({ description: 'How many verdicts are new; of a behavior, in how many traces it was looked for.' }),
    failed: z.int().meta({ description: 'How many of these say fail; of a behavior, how many have it.' }),
    agent_id: s.agentId.meta({ description: 'Who asked for it.' }),
    created_at: s.utc,
    ended_at: s.utc.nullable(),
  })
  .meta({ id: 'Backfill', description: 'Judges look at traces of the past, or a behavior is looked for in them.' });

const about = { module: 'backfills', whole: true } as const;

export const backfills = {
  'backfills.create': operation({
    summary: 'Judge traces of the past',
    description:
      'In the background, oldest first: by one judge, or by all that are active and ask no model; or a behavior is looked for. A trace that ' +
      'a version of a judge has judged is left as it is, so it can be run again. `backfills.read` shows how far it is.',
    ...about,
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/eval/backfills',
      status: 201,
      location: '/api/v1/eval/backfills/{backfill_id}',
    },
    cli: { args: ['judge_id'], alias: 'backfill', also: ['eval backfill'] },
    tools: [
      {
        name: 'mem_backfill',
        toolset: 'evaluation',
        description: 'Have judges look at sealed sessions of the past, in the background.',
        fields: ['judge_id', 'behavior_id', 'for_agent', 'since', 'until', 'limit', 'sampling_rate'],
        about: {
          judge_id: 'One judge; else all active ones',
          behavior_id: 'Or look for this behavior',
          for_agent: 'Only sessions of this agent',
          since: 'ISO time',
          until: 'ISO time',
          limit: 'At most so many sessions',
          sampling_rate: 'Share of them, 0 to 1',
        },
        miss: 'mem_judges',
      },
    ],
    input: () =>
      z.strictObject({
        judge_id: j.judgeId.optional().meta({ description: 'Only this judge, whatever its status.' }),
        behavior_id: behaviorId.optional().meta({ description: 'Look for this behavior instead.' }),
        for_agent: s.agentId.optional().meta({ description: 'Only traces of this agent.' }),
        since: s.since,
        until: s.until,
        limit: z
          .int()
          .min(1)
          .max(MAX_TRACES)
          .default(MAX_TRACES)
          .meta({ description: 'Look at most at so many traces.' }),
        sampling_rate: j.samplingRate.default(1),
        ...author,
      }),
    output: () => backfill,
    errors: ['not_found', 'conflict', 'model_not_configured', 'module_not_installed'],
    example: () => ({}),
  }),

  'backfills.list': operation({
    summary: 'List backfills',
    description: 'Newest first.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/backfills' },
    cli: { alias: 'backfills', also: ['eval backfills'] },
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ backfills: z.array(backfill), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'backfills.read': operation({
    summary: 'See how far a backfill is',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/backfills/{backfill_id}' },
    cli: { args: ['backfill_id'], alias: 'show-backfill' },
    input: () => z.strictObject({ backfill_id: backfillId }),
    output: () => backfill,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ backfill_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' }),
  }),

  'backfills.cancel': operation({
    summary: 'Cancel a backfill',
    description: 'The verdicts that it gave stay. One that has ended stays as it is.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/backfills/{backfill_id}/cancel' },
    cli: { args: ['backfill_id'], alias: 'cancel-backfill' },
    input: () => z.strictObject({ backfill_id: backfillId }),
    output: () => backfill,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ backfill_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' }),
  }),
};
