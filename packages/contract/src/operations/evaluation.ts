import * as z from 'zod';
import * as j from '../judge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const since = s.since.meta({ description: 'Traces that were sealed at or after this time.' });
const until = s.until.meta({ description: 'Traces that were sealed before this time.' });

const kappa = z.number().nullable().meta({
  description: "Cohen's kappa: 1 for full agreement, 0 for what chance would give; null where that is not defined.",
});

const prefix = z
  .string()
  .max(32)
  .regex(/^(?:[a-z0-9][a-z0-9_-]*)?$/, 'must begin with a lowercase letter or a digit and hold only a-z, 0-9, - and _')
  .meta({ description: 'What their ids begin with: another one for each agent that has judges of its own.' });

/** Results of verdicts: a trace counts once for each judge, by the newest version that has judged it. */
const counts = {
  pass: z.int(),
  fail: z.int(),
  error: z.int(),
  skipped: z.int(),
  pass_rate: j.rate.meta({ description: 'Of those that pass or fail.' }),
};

export const evaluation = {
  'judges.seed': operation({
    summary: 'Define the starter judges',
    description:
      'A few judges that are useful on any trace: the outcome, failed tools, errors, missing answers, refusals, secrets, repetition, ' +
      'cost and duration, and a rubric over them. Those that are there already stay as they are, so it can be run again.',
    module: 'judges',
    whole: true,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/judges/seed' },
    cli: { args: ['for_agent'], alias: 'seed-judges', also: ['judges seed', 'eval seed'] },
    tools: [
      {
        name: 'mem_seed_starter_judges',
        toolset: 'evaluation',
        description: 'Define judges that are useful on any session; those that are there stay.',
        fields: ['for_agent', 'prefix', 'sampling_rate', 'status'],
        about: {
          for_agent: 'Only sessions of this agent',
          prefix: 'Of their ids; starter- if left out',
          sampling_rate: 'Share of new sessions, 0 to 1',
          status: 'draft: only when asked',
        },
      },
    ],
    input: () =>
      z.strictObject({
        for_agent: j.judgeTarget.for_agent.default(null),
        prefix: prefix.default('starter-'),
        sampling_rate: j.samplingRate.default(1),
        status: z
          .enum(['active', 'draft'])
          .default('active')
          .meta({ description: 'A draft judges only when it is asked to.' }),
        ...author,
      }),
    output: () =>
      z
        .object({
          created: z.array(j.judge),
          existing: z.array(j.judgeId).meta({ description: 'Those that were there, archived ones too.' }),
        })
        .meta({ id: 'SeededJudges' }),
    errors: ['conflict', 'module_not_installed'],
    example: () => ({}),
  }),

  'judges.detection_rate': operation({
    summary: 'Measure a judge by what people found',
    description:
      'How often a version of a judge said what people said in `verdicts.overrule`: of the newest 2,000 such traces. A failure is what it ' +
      'should find. Also how far other judges agree with it, of the newest 1,000 traces that it passed or failed.',
    module: 'verdicts',
    whole: true,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/judges/{judge_id}/detection-rate' },
    cli: { args: ['judge_id'], alias: 'detection-rate', also: ['judges detection-rate', 'eval detection-rate'] },
    input: () =>
      z.strictObject({
        judge_id: j.judgeId,
        judge_version: z.int().min(1).optional().meta({ description: 'The newest where it is left out.' }),
        since,
        until,
      }),
    output: () =>
      z
        .object({
          judge_id: j.judgeId,
          judge_version: z.int(),
          labelled: z.int().meta({ description: 'How many traces people have given a result that were looked at.' }),
          undecided: z.int().meta({
            description:
              'How many of them this version has not judged, has skipped, or failed to judge: they do not count.',
          }),
          complete: z.boolean().meta({ description: 'Whether there are no older ones.' }),
          confusion: z
            .object({
              true_fail: z.int().meta({ description: 'Failures that it found.' }),
              false_fail: z.int().meta({ description: 'It failed what people pass.' }),
              true_pass: z.int(),
              false_pass: z.int().meta({ description: 'Failures that it missed.' }),
            })
            .meta({ id: 'Confusion' }),
          precision: j.rate.meta({ description: 'Of the traces that it failed, those that people fail too.' }),
          recall: j.rate.meta({ description: 'Of the traces that people fail, those that it failed.' }),
          agreement: j.rate.meta({ description: 'Where it and people said the same.' }),
          kappa,
          judges: z
            .array(
              z
                .object({
                  judge_id: j.judgeId,
                  agreement: j.rate.meta({ description: 'Of the traces that both pass or fail.' }),
                  kappa,
                })
                .meta({ id: 'JudgeAgreement' }),
            )
            .meta({ description: 'Other judges, those with the most traces in common first; at most 50.' }),
        })
        .meta({ id: 'DetectionRate' }),
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools' }),
  }),

  'verdicts.summarize': operation({
    summary: 'Summarize what judges found',
    description:
      'How many traces of a time were judged, what each judge found, which agents did worst, and whether it gets better. Where there are ' +
      'very many verdicts, of the newest: `complete_since` says from when on.',
    module: 'verdicts',
    whole: true,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/summary' },
    cli: { args: ['agent_id'], alias: 'eval-summary', also: ['eval summary'] },
    tools: [
      {
        name: 'mem_eval_summary',
        toolset: 'evaluation',
        description: 'What judges found in a time: by judge, worst agents, trend.',
        fields: ['agent_id', 'since', 'until'],
        about: { agent_id: "Of this agent's sessions", since: 'ISO time; 7 days ago if left out', until: 'ISO time' },
      },
    ],
    input: () =>
      z.strictObject({
        agent_id: s.agentId.optional().meta({ description: 'Only traces of this agent.' }),
        since: since.meta({ description: 'From this time on; seven days before `until` where it is left out.' }),
        until: until.meta({ description: 'Before this time; now where it is left out.' }),
      }),
    output: () =>
      z
        .object({
          since: s.utc,
          until: s.utc,
          complete_since: s.utc.nullable().meta({
            description: 'Where there are more verdicts than were looked at: when the oldest of those was sealed.',
          }),
          traces: z.int().meta({ description: 'How many traces have verdicts.' }),
          overruled: z.int().meta({ description: 'How many verdicts people have changed.' }),
          ...counts,
          judges: z
            .array(z.object({ judge_id: j.judgeId, ...counts }).meta({ id: 'JudgeSummary' }))
            .meta({ description: 'Those that surely fail most first; at most 50.' }),
          agents: z
            .array(z.object({ agent_id: s.agentId, traces: z.int(), ...counts }).meta({ id: 'AgentSummary' }))
            .meta({ description: 'Those that surely fail most first; at most 10.' }),
          trend: z
            .array(
              z
                .object({ since: s.utc, until: s.utc, pass: z.int(), fail: z.int(), pass_rate: j.rate })
                .meta({ id: 'TrendPart' }),
            )
            .meta({ description: 'The time in seven equal parts, oldest first.' }),
          change: z
            .object({
              earlier: j.rate.meta({ description: 'The share that passed in the first half of the time.' }),
              later: j.rate,
              difference: z.number().meta({ description: '`later` less `earlier`.' }),
              low: z.number(),
              high: z.number(),
              p: z.number().meta({ description: 'How probable so large a difference is by chance.' }),
            })
            .meta({ id: 'TrendChange', description: 'Whether it gets better; null where a half has no verdicts.' })
            .nullable(),
        })
        .meta({ id: 'EvaluationSummary' }),
    errors: ['module_not_installed'],
    example: () => ({}),
  }),
};
