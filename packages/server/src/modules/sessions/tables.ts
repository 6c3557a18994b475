import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertItems, insertReads, upsertSessions } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertSessions, { kind: 'session', key: ['agent_id', 'session'], json: ['attributes'] }),
  exported(insertReads, {
    kind: 'session_read',
    key: ['agent_id', 'session', 'entry_id', 'version', 'attempt'],
    nullable: ['standing'],
    json: ['standing'],
  }),
  exported(insertItems, {
    kind: 'session_item',
    key: ['agent_id', 'session', 'no'],
    nullable: ['entity_path'],
    json: ['data'],
  }),
];
