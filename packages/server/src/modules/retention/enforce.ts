import { changed, hashedBy, isAccountGone, type Kernel, SELF_CALLER, seqAt, type Work } from '../../kernel/index.ts';
import { markUncompacted } from '../erasure/index.ts';
import { type AgeRange, erasePayloads, freeTraces, hasTraces, removeOld } from '../traces/index.ts';
import * as queries from './queries.ts';

const DAY_MS = 86_400_000;

const STEPS = { traces: removeOld, payloads: erasePayloads };

/** Runs from time to time: deletes what has passed its retention period, in small batches. */
export async function enforceRetention(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const { database } = kernel.services;
  let count = 0;
  for (const row of await queries.listDue(database.scan))
    try {
      count += await enforceOne(kernel, row, isStopping);
    } catch (error) {
      // The rows of an account that was deleted meanwhile are purged with it.
      if (!isAccountGone(error)) throw error;
    }
  if (count > 0 && database.dialect.engine === 'postgres')
    for (const statement of freeTraces) await database.maintain(statement);
}

async function enforceOne(kernel: Kernel, row: queries.RetentionRow, isStopping: () => boolean): Promise<number> {
  const { database, clock } = kernel.services;
  const { account_id, kind, days } = row;
  const { scan } = database.forAccount(account_id);
  const before = await seqAt(scan, account_id, clock.now() - (days ?? 0) * DAY_MS);
  // Removed traces are not listed again; for the other kinds `done_seq` marks how far the job came.
  let age: AgeRange = { after: kind === 'traces' ? 0 : row.done_seq, before };
  let count = 0;
  for (let more = (await hasTraces(scan, account_id, age)) !== undefined; more && !isStopping(); ) {
    const step = async (work: Work) => {
      const done = await STEPS[kind](work, age);
      await queries.setDone(work.tx, row, done.seq);
      if (work.dialect.engine === 'sqlite') await markUncompacted(work.tx);
      return changed(done, { resource: `${kind} of ${days} days`, ...hashedBy(done) });
    };
    const done = await kernel.work({ ...SELF_CALLER, account_id }, `retention.${kind}`, step);
    count += done.traces;
    age = { ...age, after: done.seq };
    more = done.more;
  }
  return count;
}
