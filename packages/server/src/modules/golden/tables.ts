import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertGolden } from './queries.ts';
import { upsertWeights } from './weights-queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertGolden, {
    kind: 'golden_query',
    key: ['golden_id'],
    nullable: ['asked_path', 'hit_rank', 'stale', 'hits', 'duplicates'],
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
    entries: { asked_path: 'by its owner' },
    rights: { maintenance: ['SELECT (account_id, golden_id, replayed_at)'] },
    planner: {
      golden_queries: '100000 500 1',
      golden_queries_newest: '100000 500 250 1',
      golden_queries_of_entry: '100000 500 3',
    },
  }),
  exported(upsertWeights, {
    kind: 'fitted_weights',
    key: ['name'],
    nullable: ['weights', 'fitted_on', 'held_out', 'mrr_default', 'mrr_fitted', 'fitted_at'],
    json: ['weights'],
    rights: { maintenance: ['SELECT (account_id, name, fitted_at)'] },
  }),
];
