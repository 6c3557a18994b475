import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'event_counts',
    key: ['branch', 'unit', 'agent_id', 'visible_to', 'at', 'event_type', 'held_by'],
    left_out: 'counted again from the log',
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
    unrelated: { held_by: 'the key whose session recorded it' },
    rights: { maintenance: ['SELECT (account_id, unit, at)', 'DELETE'] },
    planner: {
      event_counts: '1000000 1000000 1000000 300000 3000 3000 5 1 1',
      event_counts_of_minutes: '500000 50',
      event_counts_of_agents: '900000 900000 900000 300000 50 5',
    },
  },
];
