import {
  changed,
  type Kernel,
  SELF_CALLER,
  unchanged,
  WHOLE_ACCOUNT,
  type Work,
  type WriteResult,
} from '../../kernel/index.ts';
import { clearSession, loaded } from './counters.ts';
import { getSession, listIdle, type SessionKey } from './queries.ts';

const IDLE_MS = 7 * 24 * 60 * 60 * 1000;
const BATCH = 100;

/** Deletes sessions without activity for a week: no outcome is expected for them. */
export async function deleteIdleSessions(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const { database, clock } = kernel.services;
  while (!isStopping()) {
    const before = clock.now() - IDLE_MS;
    const idle = await listIdle(database.scan, before, BATCH);
    for (const key of idle) {
      const caller = { ...SELF_CALLER, account_id: key.account_id };
      await kernel.work(caller, 'sessions.expire', (work) => deleteIfIdle(work, key, before));
    }
    if (idle.length < BATCH) return;
  }
}

/** Checks again: the session may have been used since it was listed. */
async function deleteIfIdle(work: Work, key: SessionKey, before: number): Promise<WriteResult<null>> {
  const row = loaded(await getSession(work.tx, key));
  if (row === undefined || row.last_at >= before) return unchanged(null);
  await clearSession(work, row);
  return changed(null, { resource: WHOLE_ACCOUNT, before: null, after: null });
}
