import * as z from 'zod';
import { checkedDefinition } from './judge-shapes.ts';
import * as s from './shapes.ts';
import { slug } from './slug.ts';
import { traceId } from './trace-shapes.ts';

/** A run looks at a trace for each. */
export const MAX_CASES_IN_SET = 100;

export const caseId = slug('a regression case', 'refund-once');
export const caseSetId = slug('a set of regression cases', 'regression');

export const regressionCase = z
  .object({
    case_id: caseId,
    set_id: caseSetId,
    version: z.int().meta({ description: 'Counts what was expected: 1, and one more each time that changes.' }),
    name: z.string(),
    description: z.string(),
    task_input: z.string().nullable().meta({ description: 'What to give to the agent.' }),
    expected: checkedDefinition.meta({
      description: 'What a trace of the case has to show, as a judge would look for it.',
    }),
    trace_id: traceId.nullable().meta({ description: 'The trace that it was made from.' }),
    agent_id: s.agentId.meta({ description: 'Who last changed it.' }),
    created_at: s.utc,
    updated_at: s.utc,
  })
  .meta({ id: 'RegressionCase', description: 'A task, and what has to come of it.' });

export const caseResults = ['pass', 'fail', 'error', 'skipped', 'missing'] as const;
export const caseChanges = ['new', 'same', 'fixed', 'broken', 'other'] as const;

export const caseResult = z
  .object({
    case_id: caseId,
    case_version: z.int(),
    result: z.enum(caseResults).meta({
      description:
        '`skipped`: what the case needs is not known from the trace. `error`: it could not be judged. `missing`: there is no trace of it.',
    }),
    score: z.number().nullable(),
    reason: z.string().nullable().meta({ description: 'Null where the reader may not see the trace.' }),
    trace_id: traceId
      .nullable()
      .meta({ description: 'What was judged; null without a trace that the reader may see.' }),
    before: z
      .enum(caseResults)
      .nullable()
      .meta({ description: 'The result in the run before; null if it was not in it.' }),
    change: z.enum(caseChanges).meta({
      description:
        'Against the run before: `fixed` passes again, `broken` passes no more, `other` failed in another way.',
    }),
  })
  .meta({ id: 'CaseResult', description: 'What came of a case in a run.' });

export const caseRun = z
  .object({
    case_run_id: s.label(64).meta({ description: 'Which run.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] }),
    set_id: caseSetId,
    branch: s.branch.meta({ description: 'The branch that its traces are on.' }),
    label: z.string().meta({ description: 'What was tried: a commit, a build.' }),
    status: z.enum(['passed', 'failed']).meta({ description: '`passed`: every case passed.' }),
    cases: z.int(),
    passed: z.int(),
    failed: z.int(),
    errors: z.int(),
    skipped: z.int(),
    missing: z.int(),
    fixed: z.int().meta({ description: 'Cases that pass, and did not in the run before.' }),
    broken: z.int().meta({ description: 'Cases that passed in the run before, and do not now.' }),
    previous_case_run_id: z.string().nullable().meta({
      description: 'The run before, of the same set and branch; for the first of a branch, that on `main`.',
    }),
    agent_id: s.agentId.meta({ description: 'Who ran it.' }),
    created_at: s.utc,
  })
  .meta({ id: 'CaseRun', description: 'A set of cases, looked at once.' });

export const wholeCaseRun = caseRun
  .extend({ results: z.array(caseResult) })
  .meta({ id: 'WholeCaseRun', description: 'A run, with what came of each case.' });

export const caseSet = z
  .object({
    set_id: caseSetId,
    cases: z.int().meta({ description: 'How many it has.' }),
    updated_at: s.utc.meta({ description: 'When one of them was last changed.' }),
    last_run: caseRun.nullable().meta({ description: 'Null where it was never run.' }),
  })
  .meta({ id: 'CaseSet', description: 'Regression cases that are run together.' });

export type CaseResultName = (typeof caseResults)[number];
