import { exported, type TenantTable } from '@mem-service/server/module';
import { insertVersions, upsertJudges } from './queries.ts';

const FROM_ADMIN = 'what an operator of the account looks for, not what an agent wrote';

export const tables: readonly TenantTable[] = [
  exported(upsertJudges, {
    kind: 'judge',
    key: ['judge_id'],
    nullable: ['evidence_weight'],
    agents: { agent_id: { erased: 'rename' } },
  }),
  exported(insertVersions, {
    kind: 'judge_version',
    key: ['judge_id', 'version'],
    nullable: ['for_agent', 'for_path'],
    json: ['definition'],
    stored: ({ definition }) => [definition as string],
    agents: { agent_id: { erased: 'rename' }, for_agent: { erased: 'rename' } },
    entries: { for_path: { kept: FROM_ADMIN } },
  }),
];
