import type { TenantTable } from '@mem-service/server/module';

const STAYS = 'a room is shared with other accounts, and stays with the service that it is on';

export const tables: readonly TenantTable[] = [
  {
    table: 'negotiations',
    key: ['negotiation_id'],
    left_out: STAYS,
    agents: { agent_id: { erased: 'rename' }, proposed_by: { erased: 'rename' } },
    rights: { maintenance: ['SELECT (account_id, negotiation_id, status, deadline_at)'] },
  },
  {
    table: 'negotiation_participants',
    key: ['negotiation_id', 'agent_id'],
    left_out: STAYS,
    agents: { agent_id: { erased: 'delete the row' } },
  },
  {
    table: 'negotiation_steps',
    key: ['negotiation_id', 'no'],
    left_out: STAYS,
    agents: { agent_id: { erased: 'rename', also: () => ({ proposal: null, rationale: '' }) } },
  },
];
