import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from './database.ts';
import type { PostgresClient } from './postgres-client.ts';
import { translate } from './postgres-errors.ts';
import { asQuery } from './postgres-many.ts';
import { plain } from './postgres-migration-lock.ts';
import type { TransactionSettings } from './postgres-settings.ts';
import { execute } from './postgres-transaction.ts';

/** A reader of a snapshot may pause between two steps. */
const IDLE_MS = 10 * 60_000;
/** A server that froze does not answer a goodbye. */
const CLOSE_MS = 5_000;

/** Begins a snapshot on a connection, which is closed with it. */
export async function takeSnapshot(
  client: PostgresClient,
  { accountId, settings }: { accountId: string; settings: Pick<TransactionSettings, 'plain' | 'withAccount'> },
): Promise<Snapshot> {
  const close = async () => {
    const ended = client.end().catch(() => {});
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
  };
  try {
    await execute(client, plain('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
    if (settings.withAccount !== undefined) await execute(client, { text: settings.withAccount, values: [accountId] });
    else if (settings.plain !== undefined) await execute(client, plain(settings.plain));
    await execute(client, plain(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`));
  } catch (error) {
    await close();
    throw translate(error);
  }
  return { ...asQuery((statement) => execute(client, statement)), close };
}
