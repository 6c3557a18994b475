import { exported, kindIn, type TenantTable } from '../../kernel/index.ts';
import { insertItems, insertPages, itemKinds, upsertSessions } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertSessions, {
    kind: 'session',
    key: ['agent_id', 'session'],
    json: ['attributes'],
    agents: { agent_id: { erased: 'delete the row', counted_as: 'sessions' } },
    rights: { maintenance: ['SELECT (account_id, agent_id, session, last_at)'] },
  }),
  exported(insertPages, {
    kind: 'session_reads',
    key: ['agent_id', 'session', 'no'],
    json: ['reads'],
    agents: { agent_id: { erased: 'delete the row' } },
  }),
  exported(insertItems, {
    kind: 'session_item',
    key: ['agent_id', 'session', 'no'],
    nullable: ['entity_path'],
    json: ['data'],
    check: kindIn(itemKinds),
    agents: { agent_id: { erased: 'delete the row' } },
    entries: { entity_path: 'by its owner' },
  }),
];
