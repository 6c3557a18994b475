import type { LoadedConnector } from '../../connectors/types.ts';
import {
  changed,
  getAccount,
  isAccountGone,
  type Kernel,
  type MaintenanceTask,
  SELF_CALLER,
  unchanged,
} from '../../kernel/index.ts';
import type { Arrival } from './arrivals.ts';
import { pathOutOfScope, type Retry, storeAttempt, transformLetter } from './attempt.ts';
import { connectorsOf } from './connectors.ts';
import * as queries from './queries.ts';

/** Letters of one connector that are tried in one run, and for how long: the rest has its turn in the next. */
const LETTERS = 100;
const MAX_RUN_MS = 20_000;

/** Tries dead letters again whose time has come. Connectors do not wait for each other. */
export const retryLetters: MaintenanceTask = {
  name: 'ingestion.retry_letters',
  after: { event_types: ['webhook_ingested'], delay_seconds: 6 },
  async run(kernel, isStopping) {
    const connectors = [...connectorsOf(kernel.services).values()];
    const ends = await Promise.allSettled(connectors.map((connector) => retryOf(kernel, connector, isStopping)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  },
};

async function retryOf(kernel: Kernel, connector: LoadedConnector, isStopping: () => boolean): Promise<void> {
  if (connector.missing_variables.length > 0) return;
  const { database, clock } = kernel.services;
  const started = performance.now();
  const due = { connector: connector.manifest.name, now: clock.now(), limit: LETTERS };
  for (const { account_id, letter_id } of await queries.listDueLetters(database.scan, due)) {
    if (isStopping() || performance.now() - started > MAX_RUN_MS) return;
    await retryOne(kernel, connector, { account_id, letter_id }).catch((error) => {
      if (!isAccountGone(error)) throw error;
    });
  }
}

async function retryOne(
  kernel: Kernel,
  connector: LoadedConnector,
  { account_id, letter_id }: queries.DueLetter,
): Promise<void> {
  const { services } = kernel;
  const { read } = services.database.forAccount(account_id);
  const [account, letter] = await Promise.all([
    getAccount(read, account_id),
    queries.getLetter(read, account_id, letter_id),
  ]);
  if (account?.status !== 'active' || !letter) return;
  const caller = { ...SELF_CALLER, account_id };
  const transformed = await transformLetter(services, letter, { connector, caller });
  const arrival = withinScope(transformed, letter);
  await kernel.work(caller, 'dead_letters.retry', async (work) => {
    const retry = (before: queries.LetterRow) => nextRetry(connector, { before, arrival, now: work.now });
    const done = await storeAttempt(work, arrival, { letter_id, retry });
    return done ? changed(null, { resource: letter_id, before: null, after: null }) : unchanged(null);
  });
}

/** What a key with a limited scope received is written within it. */
function withinScope(arrival: Arrival, letter: queries.LetterRow): Arrival {
  const path = arrival.failure ? undefined : pathOutOfScope(letter, arrival);
  if (path === undefined) return arrival;
  const { payload, headers } = letter;
  const reason = `the key that received it may not write to ${path}`;
  return { ...arrival, failure: { reason, retry_at: null, payload, headers } };
}

type Attempted = { before: queries.LetterRow; arrival: Arrival; now: number };

function nextRetry({ manifest }: LoadedConnector, { before, arrival, now }: Attempted): Retry {
  const attempts = before.attempts + 1;
  const { retry_attempts, retry_delay_seconds } = manifest.config;
  // The first attempt was none of the retries.
  const isLast = arrival.failure?.retry_at === null || attempts > retry_attempts;
  return { attempts, next_attempt_at: isLast ? null : now + retry_delay_seconds * 1000 };
}
