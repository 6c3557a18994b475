import * as z from 'zod';
import * as c from '../case-shapes.ts';
import { checkedDefinition, judgeId } from '../judge-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, traceId } from '../trace-shapes.ts';

const name = s.label(128).meta({ description: 'What people call it.', examples: ['A refund is paid once'] });
const description = s.text(4096).meta({ description: 'What went wrong once, and must not again.' });
const taskInput = s.text(65_536).meta({ description: 'What to give to the agent.' });
const expected = checkedDefinition.meta({
  description: 'What a trace of the case has to show, as a judge would look for it.',
});
const fromJudge = judgeId.meta({ description: 'Expects what this judge looks for now, in place of `expected`.' });

const sample = {
  kind: 'code' as const,
  checks: [{ check: 'tool_required' as const, tool: 'refund', max: 1 }],
};

const postedResult = z
  .strictObject({
    case_id: c.caseId,
    trace_id: traceId.optional().meta({ description: 'The trace of the task, which is judged.' }),
    result: z
      .enum(['pass', 'fail', 'error'])
      .optional()
      .meta({ description: 'What the runner found itself, without a trace.' }),
    reason: s.text(2000).optional().meta({ description: 'Why, where the runner found it itself.' }),
  })
  .meta({ id: 'PostedCaseResult' });

/** Cases name paths and tools from anywhere in the account. */
const about = { module: 'cases', whole: true } as const;

export const cases = {
  'cases.create': operation({
    summary: 'Keep a regression case',
    description:
      'A task, and what has to come of it. With `trace_id` the task is that of the trace; without `expected` and `judge_id` a success ' +
      'is expected.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/cases', status: 201, location: '/api/v1/eval/cases/{case_id}' },
    cli: { args: ['case_id', 'trace_id'], alias: 'create-case', also: ['eval case'] },
    input: () =>
      z.strictObject({
        case_id: c.caseId,
        set_id: c.caseSetId.default('regression').meta({ description: 'The set that it belongs to.' }),
        trace_id: traceId.optional().meta({ description: 'A trace of the task, such as one that failed.' }),
        task_input: taskInput.optional().meta({ description: 'What to give to the agent; else that of the trace.' }),
        expected: expected.optional(),
        judge_id: fromJudge.optional(),
        name: name.optional().meta({ description: 'What people call it; its id where it is left out.' }),
        description: description.default(''),
        ...author,
      }),
    output: () => c.regressionCase,
    errors: ['conflict', 'not_found', 'module_not_installed'],
    example: (n) => ({
      case_id: nth('refund-once', n),
      task_input: 'The customer was charged twice: pay one back.',
      expected: sample,
    }),
  }),

  'cases.list': operation({
    summary: 'List regression cases',
    description: 'By set and id.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/cases' },
    cli: { alias: 'cases', also: ['eval cases'] },
    input: () =>
      z.strictObject({
        set_id: c.caseSetId.optional().meta({ description: 'Only those of this set.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ cases: z.array(c.regressionCase), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({ set_id: 'regression' }),
  }),

  'cases.read': operation({
    summary: 'Read a regression case',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/cases/{case_id}' },
    cli: { args: ['case_id'], alias: 'show-case' },
    input: () => z.strictObject({ case_id: c.caseId }),
    output: () => c.regressionCase,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ case_id: 'refund-once' }),
  }),

  'cases.update': operation({
    summary: 'Change a regression case',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: '/api/v1/eval/cases/{case_id}' },
    cli: { args: ['case_id'], alias: 'update-case' },
    input: () =>
      z.strictObject({
        case_id: c.caseId,
        set_id: c.caseSetId.optional().meta({ description: 'Moves it to this set.' }),
        task_input: taskInput.optional(),
        expected: expected.optional(),
        judge_id: fromJudge.optional(),
        name: name.optional(),
        description: description.optional(),
        ...author,
      }),
    output: () => c.regressionCase,
    errors: ['conflict', 'not_found', 'module_not_installed'],
    example: () => ({ case_id: 'refund-once', name: 'A refund is paid once' }),
  }),

  'case_sets.list': operation({
    summary: 'List sets of regression cases',
    description: 'Those that have cases, by id, each with its newest run on a branch that the reader may read.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/sets' },
    cli: { alias: 'case-sets', also: ['eval sets'] },
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ sets: z.array(c.caseSet), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'case_runs.create': operation({
    summary: 'Run a set of regression cases',
    description:
      'Judges each case of a set by the trace that a runner posts for it, or takes what the runner found itself. A case for which ' +
      'nothing is posted is judged by the newest trace on the branch with the attribute `case_id`. The answer compares with the run before.',
    ...about,
    effect: 'write',
    cost: 2,
    items_per_statement: 1,
    http: { method: 'POST', path: '/api/v1/eval/runs', status: 201, location: '/api/v1/eval/runs/{case_run_id}' },
    cli: { args: ['set_id'], alias: 'run-cases', also: ['eval run'] },
    input: () =>
      z.strictObject({
        set_id: c.caseSetId.default('regression').meta({ description: 'Which set.' }),
        branch: s.branch.default('main').meta({ description: 'The branch that the tasks were done on.' }),
        label: s.text(256).default('').meta({ description: 'What is tried: a commit, a build.' }),
        since: s.since.meta({
          description: 'Only traces that were sealed at or after this time, where none is posted.',
        }),
        results: z.array(postedResult).max(c.MAX_CASES_IN_SET).default([]).meta({ description: 'One for a case.' }),
        ...author,
      }),
    output: () => c.wholeCaseRun,
    errors: ['not_found', 'branch_not_found', 'unavailable', 'module_not_installed'],
    example: (n) => ({
      set_id: 'regression',
      label: 'build-118',
      results: [{ case_id: nth('refund-once', n), result: 'pass' as const }],
    }),
  }),

  'case_runs.list': operation({
    summary: 'List runs of regression cases',
    description: 'Newest first. The newest 100 of each set are kept, and 1,000 of all.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/runs' },
    cli: { alias: 'case-runs', also: ['eval runs'] },
    input: () =>
      z.strictObject({
        set_id: c.caseSetId.optional().meta({ description: 'Only those of this set.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ runs: z.array(c.caseRun), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'case_runs.read': operation({
    summary: 'Read a run of regression cases',
    description: 'With what came of each case, by id.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/runs/{case_run_id}' },
    cli: { args: ['case_run_id'], alias: 'show-run' },
    input: () => z.strictObject({ case_run_id: c.caseRun.shape.case_run_id }),
    output: () => c.wholeCaseRun,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ case_run_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' }),
  }),

  'cases.delete': operation({
    summary: 'Delete a regression case',
    description: 'Its results in runs stay.',
    ...about,
    effect: 'write',
    cost: 2,
    removes: 'cases.create',
    http: { method: 'DELETE', path: '/api/v1/eval/cases/{case_id}' },
    cli: { args: ['case_id'], alias: 'delete-case' },
    input: () => z.strictObject({ case_id: c.caseId, ...author }),
    output: () => z.object({ case_id: c.caseId, deleted: z.boolean() }),
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ case_id: 'refund-once' }),
  }),
};
