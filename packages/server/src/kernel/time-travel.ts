import type { Query } from '../db/index.ts';
import { eventTime, readAccount } from './queries.ts';

/**
 * The `seq` of the first event at or after a time (one past the newest when there is none). Times grow with `seq` and
 * the log has no gaps, so a binary search finds it without an index on time.
 */
export async function seqAt(query: Query, accountId: string, time: number): Promise<number> {
  const account = await readAccount(query, accountId);
  let low = 1;
  let high = (account?.seq ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await eventTime(query, accountId, middle);
    if (event && event.created_at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
