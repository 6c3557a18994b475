import { sql } from '../../db/index.ts';
import { addStored, bytesOfTexts, storeMore, type Work } from '../../kernel/index.ts';
import type { Arrival } from './arrivals.ts';
import { LETTER_BYTES, textsOfLetter } from './letter-storage.ts';
import * as queries from './queries.ts';

/** How many an account keeps: the oldest are dropped. */
export const MAX_LETTERS = 1000;
const MAX_LETTER_BYTES = 64 * 1024 * 1024;

/** An event that could not be transformed, to be tried again. */
export function makeLetter(
  work: Work,
  { connector = '', sender, failure, caller }: Arrival,
  { delivery_id, no, type, entity_path, key, received_at }: queries.DeliveryRow,
): queries.LetterRow | undefined {
  if (failure === undefined) return undefined;
  storeMore(work, bytesOfTexts(textsOfLetter(failure)));
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
  await deleteOldLetters(work, { letters: MAX_LETTERS, bytes: MAX_LETTER_BYTES });
}

/** Deletes all but the newest of an account. */
export async function deleteOldLetters(work: Work, kept: { letters: number; bytes: number }): Promise<void> {
  const { tx, account_id } = work;
  const old = await tx.get<{ no: number | null; bytes: number }>(
    sql`SELECT max(no) AS no, CAST(coalesce(sum(own), 0) AS BIGINT) AS bytes FROM (
          SELECT no, ${LETTER_BYTES} AS own, row_number() OVER (ORDER BY no DESC) AS place,
            sum(${LETTER_BYTES}) OVER (ORDER BY no DESC) AS bytes
          FROM dead_letters WHERE account_id = ${account_id}) AS counted
        WHERE place > ${kept.letters} OR bytes > ${kept.bytes}`,
  );
  if (!old || old.no === null) return;
  addStored(work, { storage_bytes: -Number(old.bytes) });
  await tx.run(sql`DELETE FROM dead_letters WHERE account_id = ${account_id} AND no <= ${old.no}`);
}
