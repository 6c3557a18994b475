import type { Work } from '@mem-service/server/module';
import type { FixRow } from './queries.ts';

type FixAuthor = { agent_id: string; session?: string };

/** Reports in the log what happened to a fix. Returns the place in the log. */
export function reportFix(
  work: Work,
  { fix_id, source_kind, branch, visible_to, entry_count }: FixRow,
  { change, author }: { change: 'proposed' | 'approved' | 'dismissed'; author: FixAuthor },
): number {
  return work.emit({
    event_type: `fix_${change}`,
    ...author,
    ...{ branch, visible_to, entity_path: null, key: null, version: null },
    details: { fix_id, branch, source_kind, entries: entry_count },
  });
}
