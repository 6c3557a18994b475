import type { TenantTable } from '../../kernel/index.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'briefing_marks',
    key: ['branch', 'kind', 'ancestor', 'visible_to', 'rank', 'entry_id'],
    left_out: 'made again from the entries and their outcomes',
    agents: { visible_to: { erased: 'delete the row' } },
    entries: { ancestor: 'by its owner' },
    planner: {
      briefing_marks: '1000000 1000000 1000000 200000 1000 500 1 1',
      briefing_marks_by_entry: '1000000 1000000 5',
    },
  },
  {
    table: 'briefing_visits',
    key: ['agent_id', 'branch', 'seq', 'entity_path'],
    left_out: 'made again from the traces',
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
    entries: { entity_path: 'by its owner' },
    planner: {
      briefing_visits: '1000000 1000000 500 500 16 1',
      briefing_visits_by_path: '1000000 1000000 50',
    },
  },
];
