import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertCommit } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertCommit, { kind: 'commit', key: ['commit_id'], nullable: ['session_id', 'parent_id'] }),
];
