import { updateMainProtected } from './queries.ts';
import { MAIN_BRANCH } from './view.ts';
import type { Work } from './work.ts';

/** Lets only merges write to `main`, or every caller again. */
export function protectMain(work: Work, isProtected: boolean): void {
  work.account.main_protected = isProtected ? 1 : 0;
  if (isProtected) work.protectedBranches.add(MAIN_BRANCH);
  else work.protectedBranches.delete(MAIN_BRANCH);
  work.send(updateMainProtected(work.tx, work.account_id, isProtected));
}
