import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertItems, insertPages, upsertSessions } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertSessions, { kind: 'session', key: ['agent_id', 'session'], json: ['attributes'] }),
  exported(insertPages, { kind: 'session_reads', key: ['agent_id', 'session', 'no'], json: ['reads'] }),
  exported(insertItems, {
    kind: 'session_item',
    key: ['agent_id', 'session', 'no'],
    nullable: ['entity_path'],
    json: ['data'],
  }),
];
