import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertCommit } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertCommit, {
    kind: 'commit',
    key: ['commit_id'],
    nullable: ['session_id', 'parent_id', 'merged_parent'],
    agents: {
      agent_id: { erased: 'rename', counted_as: 'commits', also: () => ({ message: '', session_id: null }) },
      visible_to: { erased: 'rename' },
    },
    // A commit that wrote only erased entries is deleted.
    erased_with: 'versions',
  }),
];
