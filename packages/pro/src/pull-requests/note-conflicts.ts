import { type Caller, Fault, type Work } from '@mem-service/server/module';
import { mergeBranch } from '../merges/merge.ts';
import type { PullRequestRow } from './queries.ts';

/** Stores the conflicts that a pull request has now, so that they can be resolved before anybody may merge it. */
export async function noteConflicts(work: Work, row: PullRequestRow, caller: Caller): Promise<void> {
  const { id: merge_id, source_branch: name, target_branch: target, created_by: agent_id } = row;
  const how = { strategy: 'THREE_WAY', detection: 'field', message: '', resolutions: [], dry_run: false } as const;
  const noted = new Fault('merge_conflicts', 'conflicts are only stored', { merge_id });
  try {
    await mergeBranch(work, {
      caller,
      input: {
        ...how,
        resolutions: [],
        name,
        target,
        merge_id,
        agent_id,
        session_id: undefined,
        expected_head: undefined,
      },
      review: async () => noted,
    });
  } catch (error) {
    // What cannot be merged now has no conflicts to resolve either.
    if (!(error instanceof Fault)) throw error;
  }
}
