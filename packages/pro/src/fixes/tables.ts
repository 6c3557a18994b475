import { exported, type TenantTable } from '@mem-service/server/module';
import { insertFixedEntries, putFixes } from './queries.ts';
import { putSettings } from './setting-queries.ts';

export const tables: readonly TenantTable[] = [
  exported(putFixes, {
    kind: 'fix',
    key: ['fix_id'],
    nullable: ['judge_id', 'behavior_id', 'decided_by', 'decided_seq', 'decided_at', 'merge_id', 'case_run_id'],
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
    agents: { visible_to: { erased: 'delete the row' } },
  }),
  exported(putSettings, {
    kind: 'fix_setting',
    key: ['name'],
    agents: { agent_id: { erased: 'rename' } },
  }),
];
