import { listChangedHeads, newestChangeOn, rangeOfChanges, seqAt } from '@mem-service/server/module';
import { listActiveAfter } from '../branches/index.ts';
import { hasOpenFrom, listOpenAfter, newestReviewOf } from '../pull-requests/index.ts';
import { DAY_MS } from './rules/path-facts.ts';
import { orphanedBranch, unreviewedChanges } from './rules/waiting-branches.ts';
import type { ScanRun } from './scan-run.ts';

const AT_ONCE = 50;
/** Changes of a branch that are counted. */
const MOST_CHANGES = 1000;
/** Versions of each that are looked at. */
const MOST_VERSIONS = 1000;

/** Goes through the branches, and then the pull requests, that are open. */
export async function scanBranches(run: ScanRun): Promise<void> {
  const { query, row, terms } = run;
  const before = await seqAt(query, row.account_id, terms.at - terms.orphan_days * DAY_MS);
  let after = row.phase === 'branches' ? (row.place ?? '') : '';
  for (let isLast = false; !isLast && !run.isOver; ) {
    const branches = await listActiveAfter(query, row.account_id, { after, limit: AT_ONCE });
    isLast = branches.length < AT_ONCE;
    for (const { name, status, is_protected, created_by, created_seq } of branches) {
      if (run.isOver) return;
      const has_open_pull_request = await hasOpenFrom(query, row.account_id, name);
      const changed = await changesOn(run, name);
      const facts = { name, status, is_protected, created_by, created_seq, has_open_pull_request, ...changed };
      const finding = orphanedBranch(facts, before);
      if (finding) run.report(finding);
      run.count('scanned_branches');
      after = name;
      await run.endOfPart({ phase: 'branches', place: after });
    }
  }
  await scanPullRequests(run);
}

async function changesOn({ query, row }: ScanRun, branch: string): Promise<{ newest_seq: number; changes: number }> {
  const { account_id } = row;
  const newest_seq = await newestChangeOn(query, account_id, branch);
  const heads =
    newest_seq === 0 ? [] : await listChangedHeads(query, { account_id, branch, after: 0, limit: MOST_CHANGES });
  return { newest_seq, changes: heads.filter(({ shared }) => shared === 1).length };
}

async function scanPullRequests(run: ScanRun): Promise<void> {
  const { query, row, terms } = run;
  const before = await seqAt(query, row.account_id, terms.at - terms.pr_stale_days * DAY_MS);
  let after = 0;
  for (let isLast = false; !isLast && !run.isOver; ) {
    const requests = await listOpenAfter(query, row.account_id, { after, limit: AT_ONCE });
    isLast = requests.length < AT_ONCE;
    for (const request of requests) {
      if (run.isOver) return;
      const reviewed_seq = await newestReviewOf(query, row.account_id, request);
      const { changes } = await changesOn(run, request.source_branch);
      const { oldest_seq, newest_seq } = await rangeOfChanges(query, {
        ...{ account_id: row.account_id, branch: request.source_branch, after: reviewed_seq, before },
        ...{ entries: MOST_CHANGES, versions: MOST_VERSIONS },
      });
      const waiting = { oldest_seq: oldest_seq ?? undefined, overdue_seq: newest_seq ?? 0 };
      const finding = unreviewedChanges({ ...request, changes, ...waiting, reviewed_seq }, before);
      if (finding) run.report(finding);
      after = request.created_seq;
      await run.endOfPart({ phase: 'branches' });
    }
  }
}
