import { addStored, type Work } from '@mem-service/server/module';
import * as queries from './queries.ts';

/** Those that are over and are kept. */
const MAX_ENDED = 1000;

/** Deletes the oldest of those that are over. Their steps stay on the room's log. */
export async function dropEnded(work: Work): Promise<void> {
  const { tx, account_id, dialect } = work;
  const dropped = await queries.listEndedAfter(tx, account_id, MAX_ENDED);
  if (dropped.length === 0) return;
  const ids = dialect.texts(dropped);
  addStored(work, { storage_bytes: -(await queries.sumBytes(tx, account_id, ids)) });
  work.send(queries.deleteSteps(tx, account_id, ids));
  work.send(queries.deleteParticipants(tx, account_id, ids));
  work.send(queries.deleteNegotiations(tx, account_id, ids));
}
