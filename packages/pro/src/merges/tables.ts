import { exported, type TenantTable } from '@mem-service/server/module';
import { insertConflicts } from './conflict-queries.ts';
import { insertMerge } from './queries.ts';

/** The value that a conflict takes may be any JSON, so that its column is not one of documents. */
function jsonProblem(text: unknown): string | undefined {
  try {
    JSON.parse(String(text));
    return undefined;
  } catch {
    return 'must be JSON';
  }
}

export const tables: readonly TenantTable[] = [
  exported(insertMerge, {
    kind: 'merge',
    key: ['merge_id'],
    nullable: ['base_branch', 'base_seq', 'commit_id', 'head_seq', 'resolved_seq'],
    holds: ({ operations, notNegative }) => {
      const { kind, status, source, target, strategy, detection } = operations['merges.read'].output.shape;
      const counts = { added: notNegative, modified: notNegative, deleted: notNegative, judged: notNegative };
      const places = { source_seq: notNegative, target_seq: notNegative, base_seq: notNegative, head_seq: notNegative };
      return {
        ...{ kind, status, source, target, base_branch: source, strategy, detection, ...counts, ...places },
        ...{ hidden: notNegative, conflicts: notNegative, resolved_seq: notNegative, created_seq: notNegative },
      };
    },
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
    holds: ({ operations, long, time }) => {
      const { reason, fields, take } = operations['conflicts.list'].output.shape.conflicts.element.shape;
      return { reason, fields: long(fields), take, value: jsonProblem, resolved_at: time };
    },
    stored: ({ value }) => [value as string | null],
    agents: { resolved_by: { erased: 'rename' }, visible_to: { erased: 'delete the row' } },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
  }),
];
