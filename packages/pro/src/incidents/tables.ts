import { exported, type TenantTable } from '@mem-service/server/module';
import { insertChanges, upsertIncidents } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertIncidents, {
    kind: 'incident',
    key: ['incident_id'],
    nullable: ['muted_until', 'base_from_seq', 'base_until_seq', 'resolved_seq'],
    agents: { of_agent: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
  exported(insertChanges, {
    kind: 'incident_change',
    key: ['incident_id', 'seq'],
    nullable: ['failures', 'muted_until'],
    agents: {
      agent_id: { erased: 'rename', also: () => ({ reason: '' }) },
      of_agent: { erased: 'delete the row' },
      visible_to: { erased: 'delete the row' },
    },
  }),
];
