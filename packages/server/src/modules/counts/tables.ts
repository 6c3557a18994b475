import { exported, kindIn, type TenantTable } from '../../kernel/index.ts';
import { upsertCounts } from './queries.ts';
import { countKinds } from './rules.ts';

/** Exported as they are: the last change of a path cannot be derived from the entries that are left there. */
export const tables: readonly TenantTable[] = [
  exported(upsertCounts, {
    kind: 'count',
    key: ['branch', 'kind', 'visible_to', 'name'],
    check: kindIn(countKinds),
    agents: { last_agent: { erased: 'rename' }, visible_to: { kept: 'deleted with the private entries of the agent' } },
  }),
];
