import { exported, type TenantTable } from '@mem-service/server/module';
import { putCounted } from './counted-queries.ts';
import { insertVerdicts, putHumanVerdicts, STORED_TEXTS } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertVerdicts, {
    kind: 'verdict',
    key: ['trace_seq', 'judge_id', 'judge_version'],
    nullable: ['score', 'cost_usd', 'model_call'],
    json: ['evidence', 'model_call'],
    stored: (row) => STORED_TEXTS.map((name) => row[name] as string | null),
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
  exported(putHumanVerdicts, {
    kind: 'human_verdict',
    key: ['trace_seq', 'judge_id'],
    agents: {
      agent_id: { erased: 'rename', also: () => ({ reason: '' }) },
      trace_agent: { erased: 'delete the row' },
      visible_to: { erased: 'delete the row' },
    },
  }),
  exported(putCounted, {
    kind: 'counted_verdict',
    key: ['trace_seq', 'judge_id'],
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
];
