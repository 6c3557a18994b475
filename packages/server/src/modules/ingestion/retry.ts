import { Fault } from '@mem-service/contract';
import type { LoadedConnector } from '../../connectors/types.ts';
import { StorageError } from '../../db/index.ts';
import {
  type Caller,
  changed,
  fromIso,
  getAccount,
  isAccountGone,
  type Kernel,
  type MaintenanceTask,
  type Scope,
  SELF_CALLER,
  type Services,
  unchanged,
} from '../../kernel/index.ts';
import { type Arrival, checkWriteScope } from './arrivals.ts';
import { arrivalOfLetter, type Retry, storeAttempt, transformLetter } from './attempt.ts';
import { connectorsOf } from './connectors.ts';
import { type DueLetter, listDueLetters, nextDueAt } from './due-letters.ts';
import * as queries from './queries.ts';
import { tidyReason } from './receive.ts';

/** Letters of one connector that are tried in one run, and for how long: the rest has its turn in the next. */
const LETTERS = 100;
const MAX_RUN_MS = 20_000;

const connectorsToRetry = (services: Services): LoadedConnector[] =>
  [...connectorsOf(services).values()].filter(({ missing_variables }) => missing_variables.length === 0);

/** Tries dead letters again whose time has come. Connectors do not wait for each other. */
export const retryLetters: MaintenanceTask = {
  name: 'ingestion.retry_letters',
  after: {
    event_types: ['webhook_ingested'],
    at: ({ details }) => {
      const { retry_at } = JSON.parse(details) as { retry_at?: string };
      return retry_at === undefined ? undefined : fromIso(retry_at);
    },
  },
  async run(kernel, isStopping) {
    const connectors = connectorsToRetry(kernel.services);
    const ends = await Promise.allSettled(connectors.map((connector) => retryOf(kernel, connector, isStopping)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  },
  async next({ services }) {
    const times = connectorsToRetry(services).map(({ manifest }) => nextDueAt(services.database.scan, manifest.name));
    return Math.min(...(await Promise.all(times)).map((at) => at ?? Number.POSITIVE_INFINITY));
  },
};

async function retryOf(kernel: Kernel, connector: LoadedConnector, isStopping: () => boolean): Promise<void> {
  const { database, clock } = kernel.services;
  const started = performance.now();
  const due = { connector: connector.manifest.name, now: clock.now(), limit: LETTERS };
  for (const { account_id, letter_id } of await listDueLetters(database.scan, due)) {
    if (isStopping() || performance.now() - started > MAX_RUN_MS) return;
    await retryOne(kernel, connector, { account_id, letter_id }).catch((error) => {
      if (!isAccountGone(error)) throw error;
    });
  }
}

async function retryOne(
  kernel: Kernel,
  connector: LoadedConnector,
  { account_id, letter_id }: DueLetter,
): Promise<void> {
  const { services } = kernel;
  const { read } = services.database.forAccount(account_id);
  const [account, letter] = await Promise.all([
    getAccount(read, account_id),
    queries.getLetter(read, account_id, letter_id),
  ]);
  if (account?.status !== 'active' || !letter) return;
  const as = { connector, caller: callerOf(letter) };
  try {
    const arrival = await transformLetter(services, letter, as);
    if (!arrival.failure) checkWriteScope(as.caller, arrival.writes);
    await store(kernel, { connector, letter, arrival });
  } catch (error) {
    if (error instanceof StorageError || isAccountGone(error)) throw error;
    const failure = failureOf(services, letter, error);
    await store(kernel, { connector, letter, arrival: { ...arrivalOfLetter(letter, as), failure } });
  }
}

/** A retry may do no more than the key that received the letter. */
function callerOf({ account_id, connector, write_scope }: queries.LetterRow): Caller {
  const caller = { ...SELF_CALLER, account_id };
  if (write_scope === null) return caller;
  const write = JSON.parse(write_scope) as Scope;
  return { ...caller, key: { key_id: '', name: '', type: 'webhook', connector, read: write, write } };
}

/** One letter that cannot be stored holds up no other. */
function failureOf({ onWarning }: Services, letter: queries.LetterRow, error: unknown): Arrival['failure'] {
  const { letter_id, connector, payload, headers } = letter;
  const isFault = error instanceof Fault;
  if (!isFault) onWarning(`the dead letter ${letter_id} of ${connector} could not be tried again: ${String(error)}`);
  const reason = isFault ? tidyReason(error.message) : 'it could not be stored';
  const retry_at = isFault && error.code === 'forbidden' ? null : 0;
  return { reason, retry_at, payload, headers };
}

type Attempt = { connector: LoadedConnector; letter: queries.LetterRow; arrival: Arrival };

function store(kernel: Kernel, { connector, letter: { account_id, letter_id }, arrival }: Attempt): Promise<unknown> {
  return kernel.work({ ...SELF_CALLER, account_id }, 'dead_letters.retry', async (work) => {
    const retry = (before: queries.LetterRow) => nextRetry(connector, { before, arrival, now: work.now });
    const done = await storeAttempt(work, arrival, { letter_id, retry });
    return done ? changed(null, { resource: letter_id, before: null, after: null }) : unchanged(null);
  });
}

type Attempted = { before: queries.LetterRow; arrival: Arrival; now: number };

function nextRetry({ manifest }: LoadedConnector, { before, arrival, now }: Attempted): Retry {
  const attempts = before.attempts + 1;
  const { retry_attempts, retry_delay_seconds } = manifest.config;
  // The first attempt was none of the retries.
  const isLast = arrival.failure?.retry_at === null || attempts > retry_attempts;
  return { attempts, next_attempt_at: isLast ? null : now + retry_delay_seconds * 1000 };
}
