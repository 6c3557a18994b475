import { exported, MAIN_BRANCH, protectMain, type Row, type TenantTable, type Work } from '@mem-service/server/module';
import { insertBranch, insertFork, putProtection } from './queries.ts';

async function restoreProtections(work: Work, rows: readonly Row[]): Promise<void> {
  if (rows.some(({ branch }) => branch === MAIN_BRANCH)) protectMain(work, true);
  work.send(work.tx.insertMany(putProtection, [...rows]));
}

export const tables: readonly TenantTable[] = [
  exported(insertBranch, {
    kind: 'branch',
    key: ['name'],
    nullable: ['holder', 'merged_by', 'merged_at', 'closed_by', 'closed_at'],
    json: ['inherits'],
    holds: ({ branchShapes, branchName, branchSpans, flag, time, notNegative }) => ({
      ...{ name: branchName, parent: branchName, fork_seq: notNegative, status: branchShapes.branchStatus },
      ...{ inherits: branchSpans, is_protected: flag, merged_at: time, closed_at: time },
    }),
    stored: ({ name, description }) => [name as string, description as string],
    agents: {
      created_by: { erased: 'rename', also: () => ({ description: '' }) },
      merged_by: { erased: 'rename' },
      closed_by: { erased: 'rename' },
    },
  }),
  exported(insertFork, {
    kind: 'branch_fork',
    key: ['branch', 'since_seq'],
    json: ['inherits'],
    holds: ({ branchName, branchSpans, flag, notNegative }) => ({
      ...{ parent: branchName, since_seq: notNegative, fork_seq: notNegative, is_kept: flag, inherits: branchSpans },
    }),
  }),
  exported(putProtection, {
    kind: 'branch_protection',
    key: ['branch'],
    json: ['required_checks'],
    holds: ({ z, flag, time, notNegative }) => ({
      ...{ required_approvals: notNegative, dismisses_approvals: flag, set_at: time },
      required_checks: z.array(z.string()),
    }),
    agents: { set_by: { erased: 'rename' } },
    restore: restoreProtections,
  }),
];
