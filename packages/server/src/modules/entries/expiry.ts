import {
  changed,
  type Kernel,
  SELF_CALLER,
  unchanged,
  WHOLE_ACCOUNT,
  type Work,
  type WriteResult,
} from '../../kernel/index.ts';
import { EntrySet } from './apply.ts';
import { type EntryRowKey, listExpired } from './queries.ts';

const CHUNK = 500;

/** Writes a tombstone for each expired entry. Reads have already left these entries out. */
export async function sweepExpired(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const { database, clock } = kernel.services;
  for (;;) {
    const expired = await listExpired(database.scan, clock.now(), CHUNK);
    for (const [account_id, addresses] of byAccount(expired)) {
      await kernel.work({ ...SELF_CALLER, account_id }, 'entries.expire', (work) => expire(work, addresses));
    }
    if (expired.length < CHUNK || isStopping()) return;
  }
}

function byAccount(expired: readonly EntryRowKey[]): Map<string, EntryRowKey[]> {
  const accounts = new Map<string, EntryRowKey[]>();
  for (const at of expired) accounts.set(at.account_id, [...(accounts.get(at.account_id) ?? []), at]);
  return accounts;
}

/** Loads the entries again: other writers may have changed them since they were listed. */
async function expire(work: Work, addresses: readonly EntryRowKey[]): Promise<WriteResult<null>> {
  const entries = await EntrySet.load(work, addresses);
  let count = 0;
  for (const { branch, entity_path, key } of addresses) {
    const entry = entries.get({ branch, entity_path, key });
    if (entry?.deleted !== 0 || entry.ttl_at === null || entry.ttl_at > work.now) continue;
    const author = { agent_id: entry.agent_id, session_id: null };
    entries.apply(
      { branch, entity_path, key, ...author, value: undefined },
      { event_type: 'expire', despite_protection: true },
    );
    count++;
  }
  await entries.save();
  return count === 0 ? unchanged(null) : changed(null, { resource: WHOLE_ACCOUNT, before: null, after: null });
}
