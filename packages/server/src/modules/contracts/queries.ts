import type { Find } from '../../db/index.ts';

export const findContracts: Find = {
  table: 'agent_profiles',
  select: 'contracts',
  by: { account_id: 'text', agent_id: 'text' },
};
