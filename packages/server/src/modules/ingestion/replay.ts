import { Fault, type Input } from '@mem-service/contract';
import {
  type Caller,
  changed,
  type Handler,
  hashedBy,
  isInScope,
  prepares,
  type Services,
  writes,
} from '../../kernel/index.ts';
import { type Arrival, checkWriteScope } from './arrivals.ts';
import { storeAttempt, transformLetter } from './attempt.ts';
import { checkConfigured, connectorOf } from './connectors.ts';
import { getLetter } from './queries.ts';

type ReplayInput = Input<'dead_letters.replay'>;

const noLetter = (letter_id: string): Fault =>
  new Fault('not_found', `there is no dead letter ${letter_id}`, { letter_id });

/** Undefined where there is no letter: a retry of a replay that was done has its answer all the same. */
async function prepareReplay(
  services: Services,
  { letter_id }: ReplayInput,
  caller: Caller,
): Promise<Arrival | undefined> {
  const { account_id, key } = caller;
  const letter = await getLetter(services.database.forAccount(account_id).read, account_id, letter_id);
  const isOpen =
    key?.write === undefined || (letter && letter.entity_path !== null && isInScope(key.write, letter.entity_path));
  if (!letter || !isOpen) return undefined;
  const connector = connectorOf(services, letter.connector);
  checkConfigured(connector);
  const arrival = await transformLetter(services, letter, { connector, caller });
  checkWriteScope(caller, arrival.writes);
  return arrival;
}

const store = writes<'dead_letters.replay'>(async (work, { input: { letter_id }, prepared }) => {
  const arrival = prepared as Arrival | undefined;
  if (!arrival) throw noLetter(letter_id);
  const done = await storeAttempt(work, arrival, {
    letter_id,
    retry: ({ attempts, next_attempt_at }) => ({ attempts: attempts + 1, next_attempt_at }),
  });
  if (!done) throw noLetter(letter_id);
  const { letter, stored } = done;
  const output = {
    replayed: stored !== undefined,
    letter_id,
    connector: letter.connector,
    id: letter.delivery_id,
    event_type: letter.type,
    results: stored?.results ?? [],
    reason: arrival.failure?.reason ?? null,
    attempts: letter.attempts,
  };
  const holds = { agent_id: letter.sender };
  return changed(output, { resource: letter_id, holds, ...hashedBy(output) });
});

export const replay: Handler<'dead_letters.replay'> = prepares(prepareReplay, store);
