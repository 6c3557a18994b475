import { exported, type TenantTable } from '@mem-service/server/module';
import { insertConflicts } from './conflict-queries.ts';
import { insertMerge } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertMerge, {
    kind: 'merge',
    key: ['merge_id'],
    nullable: ['base_branch', 'base_seq', 'commit_id', 'head_seq', 'resolved_seq'],
    stored: ({ message }) => [message as string],
    agents: { agent_id: { erased: 'rename', also: () => ({ message: '' }) }, visible_to: { erased: 'rename' } },
    erased_with: 'versions',
  }),
  exported(insertConflicts, {
    kind: 'merge_conflict',
    key: ['merge_id', 'no'],
    nullable: [
      ...['base_entry', 'base_version', 'source_entry', 'source_version', 'target_entry', 'target_version'],
      ...['take', 'value', 'resolved_by', 'resolved_at'],
    ],
    json: ['fields'],
    stored: ({ value }) => [value as string | null],
    agents: { resolved_by: { erased: 'rename' }, visible_to: { erased: 'delete the row' } },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
  }),
];
