import { caseShapes, exported, fixShapes, type Row, type TenantTable } from '@mem-service/server/module';
import { insertFixedEntries, putFixes } from './queries.ts';
import { putSettings } from './setting-queries.ts';

function settingProblem({ name, value }: Row): string | undefined {
  const schema = name === 'policy' ? fixShapes.fixPolicy : caseShapes.caseSetId;
  return schema.safeParse(value).success ? undefined : `value is none that the setting ${name} can have`;
}

export const tables: readonly TenantTable[] = [
  exported(putFixes, {
    kind: 'fix',
    key: ['fix_id'],
    nullable: ['judge_id', 'behavior_id', 'decided_by', 'decided_seq', 'decided_at', 'merge_id', 'case_run_id'],
    holds: ({ fixShapes: fix, judgeShapes, behaviorShapes, caseShapes: cases, oneOf, time, notNegative }) => ({
      ...{ fix_id: fix.fixId, source_kind: oneOf(fix.fixSources), judge_id: judgeShapes.judgeId },
      ...{ source_seq: notNegative, source_version: notNegative, behavior_id: behaviorShapes.behaviorId },
      ...{ status: oneOf(fix.fixStatuses), policy: fix.fixPolicy, set_id: cases.caseSetId },
      ...{ decided_seq: notNegative, decided_at: time },
    }),
    agents: {
      agent_id: { erased: 'rename', also: () => ({ description: '' }) },
      of_agent: { erased: 'rename' },
      decided_by: { erased: 'rename', also: () => ({ decision: '' }) },
      visible_to: { erased: 'delete the row' },
    },
  }),
  exported(insertFixedEntries, {
    kind: 'fixed_entry',
    key: ['fix_id', 'no'],
    nullable: ['restored_version', 'runs'],
    json: ['runs', 'ledger'],
    holds: ({ fixShapes: { fixedEntry }, shapes, notNegative }) => {
      const { action, runs, ledger } = fixedEntry.shape;
      const versions = { restored_version: shapes.version, branch_version: shapes.version };
      return { action, runs: runs.unwrap().loose(), ledger: ledger.loose(), branch_entry_id: notNegative, ...versions };
    },
    agents: { visible_to: { erased: 'delete the row' } },
  }),
  exported(putSettings, {
    kind: 'fix_setting',
    key: ['name'],
    holds: ({ z }) => ({ name: z.enum(['policy', 'set_id']) }),
    check: settingProblem,
    agents: { agent_id: { erased: 'rename' } },
  }),
];
