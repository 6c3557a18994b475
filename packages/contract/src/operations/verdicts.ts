import * as z from 'zod';
import * as j from '../judge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, traceId } from '../trace-shapes.ts';

const example = { trace_id: '01hzy3v9k2m8q4w6x0c5b7n1dp', judge_id: 'no-failed-tools' };

export const verdicts = {
  'verdicts.judge': operation({
    summary: 'Judge a trace now',
    description:
      'With the newest version of a judge, whatever its status, agent, path and sampling rate. A trace that this version has judged ' +
      'keeps its verdict, unless it was an error of a model or the budget was spent.',
    module: 'verdicts',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'POST', path: '/api/v1/eval/traces/{trace_id}/judge' },
    cli: { args: ['trace_id', 'judge_id'], alias: 'judge-trace', also: ['eval judge'] },
    tools: [
      {
        name: 'mem_judge_trace',
        toolset: 'evaluation',
        description: 'Have a judge look at a sealed session now.',
        fields: ['trace_id', 'judge_id'],
        about: { trace_id: 'Its id, or "last"', judge_id: 'The judge' },
        miss: 'mem_list_traces and mem_judges',
      },
    ],
    input: () => z.strictObject({ trace_id: traceId, judge_id: j.judgeId }),
    output: () => j.verdict,
    errors: ['not_found', 'budget_spent', 'model_not_configured', 'module_not_installed'],
    example: () => example,
  }),

  'verdicts.list': operation({
    summary: 'List verdicts',
    description: 'Of the newest traces first. Who may see a trace sees its verdicts.',
    module: 'verdicts',
    effect: 'read',
    cost: 1,
    http: {
      method: 'GET',
      path: '/api/v1/eval/verdicts',
      aliases: [{ method: 'GET', path: '/api/v1/eval/traces/{trace_id}/verdicts' }],
    },
    cli: { alias: 'verdicts', also: ['eval verdicts'] },
    tools: [
      {
        name: 'mem_verdicts',
        toolset: 'evaluation',
        description: 'What judges found in traces, newest traces first.',
        fields: ['trace_id', 'judge_id', 'agent_id', 'result', 'since', 'limit', 'cursor'],
        unlisted: ['until', 'judge_version'],
        about: {
          trace_id: 'Of this trace',
          judge_id: 'Of this judge',
          agent_id: "Of this agent's traces",
          result: 'Only these',
          since: 'ISO time',
        },
        limit: 20,
        miss: 'fewer filters, or mem_judge_trace',
      },
    ],
    input: () =>
      z.strictObject({
        trace_id: traceId.optional().meta({ description: 'Only of this trace.' }),
        judge_id: j.judgeId.optional().meta({ description: 'Only of this judge.' }),
        judge_version: z.int().min(1).optional().meta({ description: 'Only of this version of the judge.' }),
        agent_id: s.agentId.optional().meta({ description: 'Only of traces of this agent.' }),
        result: z.enum(j.verdictResults).optional().meta({ description: 'Only verdicts with this result.' }),
        since: s.since.meta({ description: 'Traces that were sealed at or after this time.' }),
        until: s.until.meta({ description: 'Traces that were sealed before this time.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ verdicts: z.array(j.verdict), ...s.page }),
    errors: ['not_found', 'invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({ trace_id: example.trace_id }),
  }),

  'verdicts.read': operation({
    summary: 'Read a verdict',
    module: 'verdicts',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/verdicts/{verdict_id}' },
    cli: { args: ['verdict_id'], alias: 'show-verdict' },
    input: () => z.strictObject({ verdict_id: j.verdictId }),
    output: () => j.verdict,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ verdict_id: `${example.trace_id}.${example.judge_id}.1` }),
  }),

  'verdicts.overrule': operation({
    summary: 'Overrule a judge',
    description:
      'What a person found in a trace where the judge looks: it overrules the verdicts of all versions of the judge, also those to ' +
      'come, and is what its detection rate is measured by. `result: null` takes it back.',
    module: 'verdicts',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'PUT', path: '/api/v1/eval/traces/{trace_id}/judges/{judge_id}/human-verdict' },
    cli: { args: ['trace_id', 'judge_id', 'result'], alias: 'overrule', also: ['eval overrule'] },
    input: () =>
      z.strictObject({
        trace_id: traceId,
        judge_id: j.judgeId,
        result: z.enum(['pass', 'fail']).nullable().meta({ description: 'Null takes back what was given before.' }),
        reason: s.text(4096).default(''),
        ...author,
      }),
    output: () =>
      z
        .object({
          trace_id: traceId,
          judge_id: j.judgeId,
          human: j.humanVerdict.nullable(),
          overruled: z.int().meta({ description: 'How many verdicts have another result now.' }),
        })
        .meta({ id: 'Overruled' }),
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ ...example, result: 'pass' as const, reason: 'the tool failed as it should' }),
  }),
};
