import { exported, type TenantTable } from '../../kernel/index.ts';
import { upsertCounts } from './queries.ts';

/** Told as they are: when a path was last changed cannot be seen from the entries that are left there. */
export const tables: readonly TenantTable[] = [
  exported(upsertCounts, {
    kind: 'count',
    key: ['branch', 'kind', 'visible_to', 'name'],
    agents: { last_agent: { erased: 'rename' }, visible_to: { kept: 'goes with the private entries of the agent' } },
  }),
];
