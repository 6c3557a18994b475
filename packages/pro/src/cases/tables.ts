import { exported, type judgeShapes, type TenantTable } from '@mem-service/server/module';
import { definitionProblems } from '../evaluation/index.ts';
import { upsertCases } from './queries.ts';
import { insertResults, insertRuns } from './run-queries.ts';

function unsound(expected: string): string | undefined {
  const [first] = definitionProblems(JSON.parse(expected) as judgeShapes.CheckedDefinition);
  return first && `${first.path.replace(/^definition/, 'expected')}: ${first.message}`;
}

export const tables: readonly TenantTable[] = [
  exported(upsertCases, {
    kind: 'case',
    key: ['case_id'],
    nullable: ['task_input', 'trace_id', 'trace_agent'],
    json: ['expected'],
    holds: ({ caseShapes, shapes, notNegative }) => ({
      ...{ case_id: caseShapes.caseId, set_id: caseShapes.caseSetId, version: shapes.version },
      ...{ expected: caseShapes.regressionCase.shape.expected, updated_seq: notNegative },
    }),
    check: ({ expected }) => unsound(expected as string),
    stored: ({ task_input, expected, description }) => [
      task_input as string | null,
      expected as string,
      description as string,
    ],
    agents: { agent_id: { erased: 'rename' }, trace_agent: { erased: 'delete the row' } },
  }),
  exported(insertRuns, {
    kind: 'case_run',
    key: ['seq'],
    nullable: ['previous_case_run_id'],
    json: ['counts'],
    holds: ({ caseShapes, z }) => {
      const n = z.int().min(0);
      const results = { passed: n, failed: n, errors: n, skipped: n, missing: n };
      return { set_id: caseShapes.caseSetId, counts: z.strictObject({ cases: n, ...results, fixed: n, broken: n }) };
    },
    agents: { agent_id: { erased: 'rename', also: () => ({ label: '' }) } },
  }),
  exported(insertResults, {
    kind: 'case_result',
    key: ['run_seq', 'case_id'],
    nullable: ['score', 'trace_id', 'trace_agent', 'before_result'],
    holds: ({ caseShapes: { caseId, caseResults }, shapes, share, oneOf, notNegative }) => ({
      ...{ run_seq: notNegative, case_id: caseId, case_version: shapes.version, score: share },
      ...{ result: oneOf(caseResults), before_result: oneOf(caseResults) },
    }),
    stored: ({ reason }) => [reason as string],
    agents: {
      trace_agent: { erased: 'rename', also: () => ({ reason: '', trace_id: null }) },
      visible_to: { erased: 'delete the row' },
    },
  }),
];
