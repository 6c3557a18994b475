import type { Work } from '../../kernel/index.ts';
import type { Arrival } from './arrivals.ts';
import * as queries from './queries.ts';

/** How many an account keeps: the oldest are dropped. */
export const MAX_LETTERS = 1000;

/** An event that could not be transformed, to be tried again. */
export function makeLetter(
  work: Work,
  { connector = '', sender, failure, caller }: Arrival,
  { delivery_id, no, type, entity_path, key, received_at }: queries.DeliveryRow,
): queries.LetterRow | undefined {
  if (failure === undefined) return undefined;
  return {
    account_id: work.account_id,
    letter_id: work.services.ids.next(work.now),
    no,
    connector,
    sender,
    delivery_id,
    type,
    headers: failure.headers,
    payload: failure.payload,
    reason: failure.reason,
    attempts: 1,
    next_attempt_at: failure.retry_at,
    entity_path,
    key,
    received_at,
    write_scope: caller.key?.write === undefined ? null : JSON.stringify(caller.key.write),
  };
}

export async function saveLetters(work: Work, letters: readonly queries.LetterRow[]): Promise<void> {
  work.send(work.tx.insertMany(queries.insertLetters, letters));
  await queries.deleteOldLetters(work.tx, work.account_id, MAX_LETTERS);
}
