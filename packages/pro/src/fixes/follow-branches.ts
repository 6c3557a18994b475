import type { Consumer, ConsumerContext, LogEvent } from '@mem-service/server/module';
import { MAIN_BRANCH } from '@mem-service/server/module';
import { decide } from './decide.ts';
import { getFixOfBranch } from './queries.ts';

const REPAIRS = 'repair/';

/** A branch of a fix that is merged or closed by other means than its fix decides about the fix, too. */
export const followBranches: Consumer = {
  name: 'fixes.follow_branches',
  event_types: ['branch_merged', 'branch_closed'],
  starts_at: 'now',
  batch_size: 20,
  handle: followEvents,
};

type EndDetails = { branch?: string; target?: string; merge_id?: string };
type EndedBranch = { name: string; status: 'approved' | 'dismissed'; by: string; merge_id: string | null };

function endedIn({ event_type, details, agent_id }: LogEvent): EndedBranch[] {
  const { branch, target, merge_id } = JSON.parse(details) as EndDetails;
  if (!branch?.startsWith(REPAIRS)) return [];
  if (event_type === 'branch_closed') return [{ name: branch, status: 'dismissed', by: agent_id, merge_id: null }];
  return target === MAIN_BRANCH ? [{ name: branch, status: 'approved', by: agent_id, merge_id: merge_id ?? null }] : [];
}

async function followEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const ended = events.flatMap(endedIn);
  if (ended.length === 0) return;
  await context.work(async (work) => {
    for (const { name, status, by, merge_id } of ended) {
      const fix = await getFixOfBranch(work.tx, work.account_id, name);
      if (fix?.status !== 'proposed') continue;
      const how = status === 'approved' ? 'merged' : 'closed';
      decide(work, fix, { status, author: { agent_id: by }, decision: `its branch was ${how}`, merge_id });
    }
  });
}
