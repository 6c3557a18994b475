import { toIso } from '@mem-service/server/module';
import type { MergeRow } from './queries.ts';

export const toMerge = (row: MergeRow) => ({
  merge_id: row.merge_id,
  kind: row.kind,
  status: row.status,
  source: row.source,
  source_seq: row.source_seq,
  target: row.target,
  target_seq: row.target_seq,
  base:
    row.base_branch === null || row.base_seq === null
      ? null
      : { ref: `${row.base_branch}@${row.base_seq}`, branch: row.base_branch, seq: row.base_seq },
  strategy: row.strategy,
  detection: row.detection,
  message: row.message,
  agent_id: row.agent_id,
  added: row.added,
  modified: row.modified,
  deleted: row.deleted,
  judged: row.judged,
  hidden: row.hidden,
  conflicts: row.conflicts,
  commit_id: row.commit_id,
  head: row.head_seq,
  created_at: toIso(row.created_at),
});
