import type { BranchPermission, Caller, Services } from '@mem-service/server/module';

type MergeEnds = { source: string; target: string };

const branchNamed = (ref: string): string => ref.split('@', 1)[0] as string;

/** A merge and its conflicts are shown to those who may read both branches, and changed by those who may write to the target. */
export async function requireEnds(
  { branchAccess }: Pick<Services, 'branchAccess'>,
  caller: Caller,
  { ends, permission }: { ends: MergeEnds; permission: BranchPermission },
): Promise<void> {
  await branchAccess.requireUnnamed(caller, branchNamed(ends.source), 'read');
  await branchAccess.requireUnnamed(caller, branchNamed(ends.target), permission);
}
