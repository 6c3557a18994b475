import { newestChangeOn, type Query } from '@mem-service/server/module';
import { getForkAt } from '../branches/queries.ts';
import { resolveRef } from '../branches/resolve.ts';
import { getMerge } from '../merges/queries.ts';
import { newestQuarantineOn } from '../quarantine/queries.ts';
import type { PullRequestRow } from './queries.ts';

export type Heads = { source_seq: number; target_seq: number };

/** When the source and the target changed last. */
export async function headsOf(query: Query, row: PullRequestRow): Promise<Heads> {
  return {
    source_seq: await sourceSeq(query, row),
    target_seq: await newestChangeOn(query, row.account_id, row.target_branch),
  };
}

/**
 * The last place in the log where what the merge would take has changed: a write to the source, a refresh of it, a quarantine or
 * release of what it shows, or a resolution of a conflict. What the target has itself does not come with a merge.
 */
async function sourceSeq(
  query: Query,
  { account_id, id, source_branch, target_branch }: PullRequestRow,
): Promise<number> {
  const { lineage } = await resolveRef({ account_id, read: query }, source_branch);
  const shown = lineage.map(({ branch }) => branch).filter((branch) => branch !== target_branch);
  const fork = await getForkAt(query, account_id, { branch: source_branch, seq: Number.MAX_SAFE_INTEGER });
  const waiting = await getMerge(query, account_id, id);
  return Math.max(
    await newestChangeOn(query, account_id, source_branch),
    fork?.since_seq ?? 0,
    await newestQuarantineOn(query, account_id, shown),
    waiting?.resolved_seq ?? 0,
  );
}
