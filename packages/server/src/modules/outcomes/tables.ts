import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertStaleReads } from './stale-queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertStaleReads, {
    kind: 'stale_read',
    key: ['seq', 'no'],
    nullable: ['current_version', 'changed_by'],
    agents: {
      agent_id: { erased: 'delete the row' },
      changed_by: { erased: 'rename' },
      visible_to: { erased: 'delete the row' },
    },
    entries: { entity_path: 'delete the row', key: 'delete the row' },
    planner: { stale_reads: '100000 100000 2 1', stale_reads_by_path: '100000 100000 20 5' },
  }),
];
