import { type Kernel, SELF_CALLER } from '../../kernel/index.ts';
import { listIdle } from './queries.ts';
import { clearSession } from './store.ts';

const IDLE_MS = 7 * 24 * 60 * 60 * 1000;
const BATCH = 100;

/** A session that nobody went on with for a week led to nothing that anybody will tell. */
export async function forgetIdleSessions(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const { database, clock } = kernel.services;
  while (!isStopping()) {
    const idle = await listIdle(database.scan, clock.now() - IDLE_MS, BATCH);
    for (const key of idle) {
      const caller = { ...SELF_CALLER, account_id: key.account_id };
      await kernel.work(caller, 'sessions.expire', async (work) => clearSession(work, key));
    }
    if (idle.length < BATCH) return;
  }
}
