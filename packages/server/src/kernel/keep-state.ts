import { setForked } from './queries.ts';
import type { Work } from './work.ts';

/**
 * Returns where the log of the account ends, and lets the state there be kept: an entry that changes from now on is stored once as
 * it stands now. For forks and tags of the newest state; their spans are `is_kept`.
 */
export function keepState(work: Work): number {
  const { seq, forked_seq } = work.account;
  if (forked_seq === seq) return seq;
  work.account.forked_seq = seq;
  work.send(setForked(work.tx, work.account_id, seq));
  return seq;
}
