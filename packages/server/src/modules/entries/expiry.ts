import { type Kernel, SELF_CALLER, type Work } from '../../kernel/index.ts';
import { EntrySet } from './apply.ts';
import { type Address, listExpired } from './queries.ts';

const CHUNK = 500;

/** Turns entries whose time has come into tombstones. They were already gone from every read. */
export async function sweepExpired(kernel: Kernel): Promise<void> {
  const { database, clock } = kernel.services;
  for (;;) {
    const expired = await listExpired(database.scan, clock.now(), CHUNK);
    for (const at of expired) {
      const caller = { ...SELF_CALLER, account_id: at.account_id };
      await kernel.work(caller, 'entries.expire', (work) => expire(work, at));
    }
    if (expired.length < CHUNK) return;
  }
}

async function expire(work: Work, { branch, entity_path, key }: Address): Promise<{ unchanged: boolean }> {
  const entries = await EntrySet.load(work, [{ branch, entity_path, key }]);
  const entry = entries.get({ branch, entity_path, key });
  if (!entry || entry.deleted === 1 || entry.ttl_at === null || entry.ttl_at > work.now) return { unchanged: true };
  const author = { agent_id: entry.agent_id, session_id: entry.session_id };
  entries.apply({ branch, entity_path, key, ...author, value: undefined }, { event_type: 'expire' });
  await entries.save();
  return { unchanged: false };
}
