import type { LoadedConnector } from '../../connectors/types.ts';
import {
  addStored,
  bytesOfTexts,
  type Caller,
  EVERYONE,
  MAIN_BRANCH,
  type Scope,
  type Services,
  type Work,
} from '../../kernel/index.ts';
import { type Arrival, realmOf, type StoredArrival } from './arrivals.ts';
import { textsOfLetter } from './letter-storage.ts';
import { webhookAgent } from './names.ts';
import * as queries from './queries.ts';
import { transformOne, withWrites } from './receive.ts';
import { PLAIN_WRITE } from './rules/results.ts';
import { storeArrivals } from './store.ts';

type LetterUse = { connector: LoadedConnector; caller: Caller };

export function arrivalOfLetter(
  { delivery_id, type, received_at, write_scope }: queries.LetterRow,
  { connector: { manifest, records_outcomes }, caller }: LetterUse,
): Arrival {
  const { name } = manifest;
  return {
    caller,
    connector: name,
    sender: webhookAgent(name),
    source: name,
    id: delivery_id,
    event_type: type,
    occurred_at: null,
    writes: [],
    records_outcomes,
    received_at,
    isAgain: true,
    realm: realmOf(write_scope === null ? undefined : (JSON.parse(write_scope) as Scope)),
  };
}

/** Transforms a dead letter again, with the transform of now. */
export async function transformLetter(
  services: Services,
  letter: queries.LetterRow,
  { connector, caller }: LetterUse,
): Promise<Arrival> {
  const { delivery_id: id, type: event_type, received_at } = letter;
  const payload: unknown = JSON.parse(letter.payload);
  const input = { id, event_type, payload, headers: JSON.parse(letter.headers) as Record<string, string> };
  const arrival = arrivalOfLetter(letter, { connector, caller });
  const transformed = await transformOne(connector, input, {
    received_at,
    account_id: caller.account_id,
    again: true,
  });
  const done = await withWrites(services, arrival, { connector, input, transformed, received_at });
  // It is kept already.
  return done.failure ? done : withoutRaw({ ...done, kept: undefined }, letter);
}

/** What was kept as it came is not needed any more. */
function withoutRaw(arrival: Arrival, { entity_path, key }: queries.LetterRow): Arrival {
  const isWritten = arrival.writes.some((write) => write.entity_path === entity_path && write.key === key);
  if (entity_path === null || key === null || isWritten) return arrival;
  const removal = { ...PLAIN_WRITE, shown_as: 'raw' as const, entity_path, key, value: null, deleted: true };
  return { ...arrival, writes: [...arrival.writes, removal] };
}

export type NextAttempt = { attempts: number; next_attempt_at: number | null };

/** Stores what came of a letter. Returns undefined where the letter is gone by now. */
export async function storeAttempt(
  work: Work,
  arrival: Arrival,
  { letter_id, retry }: { letter_id: string; retry: (letter: queries.LetterRow) => NextAttempt },
): Promise<{ letter: queries.LetterRow; stored: StoredArrival | undefined } | undefined> {
  await work.locked;
  const { account_id, tx } = work;
  const letter = await queries.getLetter(tx, account_id, letter_id);
  if (!letter) return undefined;
  emitAttempt(work, letter, arrival.failure === undefined);
  if (arrival.failure) {
    const { reason } = arrival.failure;
    const next = { ...letter, reason, ...retry(letter) };
    await tx.updateMany(queries.updateLetters, [
      { account_id, letter_id, reason, attempts: next.attempts, next_attempt_at: next.next_attempt_at },
    ]);
    return { letter: next, stored: undefined };
  }
  // First, so that what is written may take its room.
  addStored(work, { storage_bytes: -bytesOfTexts(textsOfLetter(letter)) });
  await queries.deleteLetter(tx, account_id, letter_id);
  const [stored] = await storeArrivals(work, [arrival]);
  if (stored instanceof Error) throw stored;
  return { letter: { ...letter, attempts: letter.attempts + 1 }, stored };
}

function emitAttempt(work: Work, letter: queries.LetterRow, replayed: boolean): void {
  const { sender, entity_path, key, letter_id, connector } = letter;
  work.emit({
    event_type: 'dead_letter_replayed',
    agent_id: sender,
    branch: MAIN_BRANCH,
    entity_path,
    key,
    version: null,
    visible_to: EVERYONE,
    details: { letter_id, connector, replayed },
  });
}
