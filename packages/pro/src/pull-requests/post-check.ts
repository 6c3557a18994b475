import {
  bytesOfTexts,
  type Caller,
  changed,
  exclusive,
  Fault,
  hashedBy,
  invalidInput,
  storeMore,
  writes,
} from '@mem-service/server/module';
import { authorOf } from '../merges/merge.ts';
import { type CheckRow, listChecks, putChecks } from './check-queries.ts';
import { BUILT_IN } from './checks/built-in.ts';
import { toPostedCheck } from './checks/render.ts';
import { emitPullRequest } from './emit.ts';
import { headsOf } from './heads.ts';
import { MAX_POSTED_CHECKS } from './limits.ts';
import { protectionOf, requireEnds, requireOpen } from './load.ts';
import { noteConflicts } from './note-conflicts.ts';
import { getPullRequest } from './queries.ts';

/** Who writes to a branch must not decide by itself whether it passes. */
function requirePoster({ key }: Caller): void {
  if (key !== undefined && key.type !== 'admin' && key.type !== 'service')
    throw new Fault('forbidden', 'results of checks are posted with a key of the type admin or service', {});
}

export const postCheck = exclusive(
  writes<'pull_requests.check'>(async (work, { input, caller }) => {
    const { account_id, tx, now } = work;
    const { id, check: check_name, status, summary } = input;
    if (BUILT_IN.has(check_name))
      throw invalidInput([{ path: 'check', message: 'is the name of a check that the service runs' }]);
    const row = await getPullRequest(tx, account_id, id);
    if (!row) throw new Fault('not_found', `there is no pull request ${id}`, { id, check: check_name });
    await requireEnds(work.services, caller, { ends: row });
    requirePoster(caller);
    requireOpen(row);
    const { source_seq } = await headsOf(tx, row);
    if ((input.source_seq ?? source_seq) !== source_seq)
      throw new Fault('conflict', `the last write to the branch is ${source_seq}, not ${input.source_seq}`, {
        source_seq,
      });
    const posted = (await listChecks(tx, account_id, id)).filter(({ posted_by }) => posted_by !== null);
    const before = posted.find((one) => one.check_name === check_name);
    if (!before && posted.length >= MAX_POSTED_CHECKS)
      throw new Fault('conflict', `the pull request has ${MAX_POSTED_CHECKS} posted checks, and can have no more`, {
        max_checks: MAX_POSTED_CHECKS,
      });
    const author = authorOf(input, caller);
    const posting = { posted_by: author.agent_id, updated_at: now };
    const after: CheckRow = {
      account_id,
      pull_request_id: id,
      check_name,
      status,
      summary,
      source_seq,
      target_seq: null,
      ...posting,
    };
    storeMore(work, bytesOf(after) - (before ? bytesOf(before) : 0));
    emitPullRequest(work, row, { event_type: 'pull_request_checked', author, details: { check: check_name, status } });
    work.send(tx.insertMany(putChecks, [after]));
    await noteConflicts(work, row, caller);
    const { required_checks } = await protectionOf(tx, account_id, row.target_branch);
    const answer = toPostedCheck(after, { isCurrent: true, required_checks });
    return changed(answer, { resource: `${id}/checks/${check_name}`, ...hashedBy(answer) });
  }),
);

const bytesOf = ({ check_name, summary }: CheckRow): number => bytesOfTexts([check_name, summary]);
