import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether processes can be traced on this machine; prints what is skipped if not. */
export function hasStrace(skipped: string): boolean {
  try {
    execFileSync('strace', ['-qq', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log(`skipped: strace cannot be used here: ${skipped}`);
    return false;
  }
}

/** The process that a tracer runs. */
export const tracedBy = (pid: number): number =>
  // A shell may have become the program: 0 would mean every process of this group.
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]) || pid;
