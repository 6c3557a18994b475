import { type Query, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import type { EntryKey } from './queries.ts';
import { isVersionVisible, versionColumnsOf } from './relation.ts';
import type { EntryRow } from './rows.ts';
import { NEWEST, versionsNamed } from './versions-by-name.ts';

/** The newest version that an author wrote, or the tombstone that followed it. */
export type AuthoredRow = Pick<
  EntryRow,
  | 'entry_id'
  | 'version'
  | 'seq'
  | 'deleted'
  | 'shared'
  | 'agent_id'
  | 'written_at'
  | 'ttl_at'
  | 'confidence'
  | 'document'
  | 'standing'
  | 'recall_count'
  | 'memory_type'
  | 'branch'
> & { current_version: number; current_confidence: number };

const AUTHORED = versionColumnsOf([
  ...(['entry_id', 'version', 'seq', 'deleted', 'shared', 'agent_id'] as const),
  ...(['written_at', 'ttl_at', 'confidence', 'document'] as const),
]);

/** An expired entry counts as deleted, unless its newest version is private to another agent. */
export function getAuthored(
  query: Query,
  view: EntryView,
  { author, ...at }: EntryKey & { author: string },
): Promise<AuthoredRow | undefined> {
  const shown = sql`(entries.ttl_at IS NULL OR entries.ttl_at > ${view.at} OR (entries.shared = 0 AND entries.agent_id <> ${view.agent_id}))`;
  const where = sql`(versions.agent_id = ${author} OR versions.deleted = 1) AND ${isVersionVisible(view)}`;
  return query.get<AuthoredRow>(
    sql`SELECT ${AUTHORED}, entries.version AS current_version, entries.confidence AS current_confidence,
          entries.standing, entries.recall_count, entries.memory_type, entries.branch
        FROM ${versionsNamed(view, at, { where, last: NEWEST, shown })}`,
  );
}
