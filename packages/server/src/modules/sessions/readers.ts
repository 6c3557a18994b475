import { boundsOfAccount, tooManyOpen, type Work } from '../../kernel/index.ts';
import { clearSession, loaded } from './counters.ts';
import { listReaders } from './queries.ts';

const MAX_READER_NOTES = 50_000;
/** Few at a time: a write must not wait long for them. */
const BATCH = 64;

/**
 * Deletes sessions in which nothing was recorded, while the account has more than it may keep. An outcome in one of them
 * finds no reads; those used last are kept.
 */
export async function dropReaders(work: Work): Promise<void> {
  const { max_reader_notes = MAX_READER_NOTES } = work.services.limits;
  const { open_sessions: allowed } = boundsOfAccount(work);
  const { account } = work;
  await dropWhile(work, () => account.reader_notes > max_reader_notes || isAbove(account.open_sessions, allowed));
}

const isAbove = (n: number, allowed: number | null): boolean => allowed !== null && n > allowed;

async function dropWhile(work: Work, isOver: () => boolean): Promise<void> {
  while (isOver()) {
    await work.waitForSent();
    const found = await listReaders(work.tx, work.account_id, { limit: BATCH, among: 2 * BATCH });
    if (found.length === 0) return;
    for (const row of found) if (isOver()) await clearSession(work, loaded(row));
  }
}

/** Refuses one more session than the plan allows, where no other can be dropped for it. */
export async function makeRoomForSession(work: Work): Promise<void> {
  const { open_sessions: allowed } = boundsOfAccount(work);
  const { account } = work;
  await dropWhile(work, () => isAbove(account.open_sessions + 1, allowed));
  if (isAbove(account.open_sessions + 1, allowed)) throw tooManyOpen('open_sessions', allowed as number);
}
