import * as z from 'zod';
import * as j from '../judge-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, traceId } from '../trace-shapes.ts';

const MAX_DRY_RUN = 50;

const name = s.label(128).meta({ description: 'What people call it.', examples: ['No failed tools'] });
const description = s.text(4096).meta({ description: 'What it looks for, and why.' });
const definition = j.judgeDefinition.meta({ description: 'What it looks for.' });
const status = z.enum(['active', 'draft']).meta({ description: 'A draft judges only when it is asked to.' });
const ofAgent = s.agentId.optional().meta({ description: 'Only judges that look at traces of this agent.' });

const sample = {
  kind: 'code' as const,
  checks: [
    { check: 'most' as const, of: 'failed_tool_calls' as const, limit: 0 },
    { check: 'outcome' as const, in: ['success' as const, 'clean_deploy' as const] },
  ],
};

const version = j.judge.pick({
  judge_id: true,
  version: true,
  for_agent: true,
  for_path: true,
  definition: true,
  agent_id: true,
  created_at: true,
});

/** Definitions name paths and tools from anywhere in the account. */
const about = { module: 'judges', whole: true } as const;

export const judges = {
  'judges.create': operation({
    summary: 'Define a judge',
    description:
      'A judge looks at sealed traces: by checks that all have to hold (`code`), by a weighted list of such checks (`rubric`), or by ' +
      'asking a language model (`llm`). An active judge sees new traces as they are sealed.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/judges', status: 201, location: '/api/v1/eval/judges/{judge_id}' },
    cli: { args: ['judge_id'], alias: 'create-judge', also: ['eval create-judge'] },
    input: () =>
      z.strictObject({
        judge_id: j.judgeId,
        name: name.optional().meta({ description: 'What people call it; its id where it is left out.' }),
        description: description.default(''),
        definition,
        for_agent: j.judgeTarget.for_agent.default(null),
        for_path: j.judgeTarget.for_path.default(null),
        sampling_rate: j.samplingRate.default(1),
        evidence_weight: j.evidenceWeight.default(0),
        status: status.default('active'),
        ...author,
      }),
    output: () => j.judge,
    errors: ['conflict', 'module_not_installed'],
    example: (n) => ({ judge_id: nth('no-failed-tools', n), name: 'No failed tools', definition: sample }),
  }),

  'judges.list': operation({
    summary: 'List judges',
    description: 'By id. Archived ones are left out unless they are asked for.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/judges' },
    cli: { alias: 'judges', also: ['eval judges'] },
    tools: [
      {
        name: 'mem_judges',
        toolset: 'evaluation',
        description: 'List the judges of traces, of all agents or one.',
        fields: ['for_agent', 'status', 'limit', 'cursor'],
        about: { for_agent: 'Only those that look at this agent', status: 'Only with this status' },
        limit: 20,
        miss: 'mem_seed_starter_judges or mem_judge_define',
      },
    ],
    input: () =>
      z.strictObject({
        for_agent: ofAgent,
        status: z.enum(j.judgeStatuses).optional().meta({ description: 'Only judges with this status.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ judges: z.array(j.judge), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'judges.dry_run': operation({
    summary: 'Try a judge on chosen traces',
    description:
      'What a definition would find, without a verdict: nothing is kept. Give `definition`, or `judge_id` for the newest version of ' +
      'a judge. One that asks a model looks at five traces at most, within the budget.',
    ...about,
    effect: 'read',
    cost: 1,
    items_per_statement: 1,
    http: { method: 'POST', path: '/api/v1/eval/judges/dry-run' },
    cli: { args: ['judge_id'], alias: 'try-judge', also: ['eval try-judge'] },
    input: () =>
      z.strictObject({
        judge_id: j.judgeId.optional(),
        definition: definition.optional(),
        trace_ids: z.array(traceId).min(1).max(MAX_DRY_RUN),
      }),
    output: () =>
      z.object({
        results: z.array(j.dryRunResult),
      }),
    errors: ['not_found', 'budget_spent', 'model_not_configured', 'read_only', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools', trace_ids: ['01hzy3v9k2m8q4w6x0c5b7n1dp'] }),
  }),

  'judges.read': operation({
    summary: 'Read a judge',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/judges/{judge_id}' },
    cli: { args: ['judge_id'], alias: 'show-judge' },
    input: () =>
      z.strictObject({
        judge_id: j.judgeId,
        version: z.int().min(1).optional().meta({ description: 'An older one.' }),
      }),
    output: () => j.judge,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools' }),
  }),

  'judges.update': operation({
    summary: 'Change a judge',
    description:
      'Another definition, agent or path is a new version, which judges every trace for itself. Name, description, sampling rate, weight ' +
      'as evidence and status change without one.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: '/api/v1/eval/judges/{judge_id}' },
    cli: { args: ['judge_id'], alias: 'update-judge' },
    input: () =>
      z.strictObject({
        judge_id: j.judgeId,
        name: name.optional(),
        description: description.optional(),
        definition: definition.optional(),
        for_agent: j.judgeTarget.for_agent.optional(),
        for_path: j.judgeTarget.for_path.optional(),
        sampling_rate: j.samplingRate.optional(),
        evidence_weight: j.evidenceWeight.optional(),
        status: status.optional(),
        if_version: z.int().min(1).optional().meta({ description: 'Refuse unless this is its newest version.' }),
        ...author,
      }),
    output: () => j.judge,
    errors: ['not_found', 'version_conflict', 'conflict', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools', sampling_rate: 0.5 }),
  }),

  'judges.history': operation({
    summary: 'List the versions of a judge',
    description: 'Newest first.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/judges/{judge_id}/versions' },
    cli: { args: ['judge_id'], alias: 'judge-versions' },
    input: () => z.strictObject({ judge_id: j.judgeId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ versions: z.array(version.meta({ id: 'JudgeVersion' })), ...s.page }),
    errors: ['not_found', 'invalid_cursor', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools' }),
  }),

  'judges.diff': operation({
    summary: 'Compare two versions of a judge',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/judges/{judge_id}/diff' },
    cli: { args: ['judge_id'], alias: 'diff-judge' },
    input: () =>
      z.strictObject({
        judge_id: j.judgeId,
        from: z.int().min(1).optional().meta({ description: 'The version before `to` where it is left out.' }),
        to: z.int().min(1).optional().meta({ description: 'The newest where it is left out.' }),
      }),
    output: () =>
      z.object({
        judge_id: j.judgeId,
        from: z.int(),
        to: z.int(),
        changes: z.array(
          z
            .object({
              path: z.string().meta({ description: 'Where, as `definition.checks.0.limit`.' }),
              before: s.anyJson.optional().meta({ description: 'Left out where it was added.' }),
              after: s.anyJson.optional().meta({ description: 'Left out where it was removed.' }),
            })
            .meta({ id: 'JudgeChange' }),
        ),
      }),
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools', from: 1, to: 1 }),
  }),

  'judges.delete': operation({
    summary: 'Archive a judge',
    description: 'It judges no more. Its verdicts and versions stay, and `judges.update` with a status brings it back.',
    ...about,
    effect: 'write',
    cost: 2,
    removes: 'judges.create',
    http: { method: 'DELETE', path: '/api/v1/eval/judges/{judge_id}' },
    cli: { args: ['judge_id'], alias: 'archive-judge' },
    input: () => z.strictObject({ judge_id: j.judgeId, ...author }),
    output: () => j.judge,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ judge_id: 'no-failed-tools' }),
  }),
};
