import type { Query } from '../db/index.ts';
import { eventTime, getCorrections, readAccount } from './queries.ts';
import type { EntryView } from './view.ts';

/**
 * The `seq` of the first event at or after a time (one past the newest when there is none). The log has no gaps, and times
 * grow with `seq` from one correction of the clock to the next, so a binary search finds it without an index on time.
 */
export async function seqAt(query: Query, accountId: string, time: number): Promise<number> {
  const [account, corrections] = await Promise.all([
    readAccount(query, accountId),
    getCorrections(query, accountId, time),
  ]);
  // Whatever came before a correction happened before that time, whatever the clock said.
  let low = corrections?.last_before ?? 1;
  let high = corrections?.first_after ?? (account?.seq ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await eventTime(query, accountId, middle);
    if (event && event.created_at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** When each span of a view's lineage ends: one time per span; null for a span without an end. */
export function timesOfForks(query: Query, { account_id, lineage }: EntryView): Promise<(number | null)[]> {
  const timeOf = async (seq: number) => (await eventTime(query, account_id, seq))?.created_at ?? 0;
  return Promise.all(lineage.map(({ up_to_seq }) => (up_to_seq === null ? null : timeOf(up_to_seq))));
}
