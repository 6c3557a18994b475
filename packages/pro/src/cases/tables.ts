import { exported, type TenantTable } from '@mem-service/server/module';
import { upsertCases } from './queries.ts';
import { insertResults, insertRuns } from './run-queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertCases, {
    kind: 'case',
    key: ['case_id'],
    nullable: ['task_input', 'trace_id', 'trace_agent'],
    json: ['expected'],
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
    agents: { agent_id: { erased: 'rename', also: () => ({ label: '' }) } },
  }),
  exported(insertResults, {
    kind: 'case_result',
    key: ['run_seq', 'case_id'],
    nullable: ['score', 'trace_id', 'trace_agent', 'before_result'],
    stored: ({ reason }) => [reason as string],
    agents: {
      trace_agent: { erased: 'rename', also: () => ({ reason: '', trace_id: null }) },
      visible_to: { erased: 'delete the row' },
    },
  }),
];
