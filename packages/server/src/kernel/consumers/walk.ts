import type { Database, Dialect, Transaction } from '../../db/index.ts';
import type { ConsumerRunner } from './runner.ts';
import { SCAN } from './turn.ts';
import * as queries from './walk-queries.ts';

const PAGE_ACCOUNTS = 500;
/** A cursor is moved past unwanted events only when there are at least this many: fewer are not worth a write. */
const MIN_SKIPPED = 256;
const MAX_RETRYING = 1_000;

type Walk = {
  database: Database;
  runners: ReadonlyMap<string, ConsumerRunner>;
  now: number;
  isStopping: () => boolean;
};

/**
 * Searches all accounts, a page at a time, for events that no process announced: left over from a crash, older than the
 * consumer, or with a lost notification. Moves cursors past events that their consumers do not want.
 */
export async function walkAccounts(walk: Walk): Promise<void> {
  const { database, runners, isStopping } = walk;
  const found = new Map([...runners.keys()].map((name) => [name, { lag: 0, accounts_behind: 0 }]));
  for (let after = ''; !isStopping(); ) {
    const up_to = await queries.pageEnd(database.scan, after, PAGE_ACCOUNTS);
    if (up_to === undefined) break;
    for (const runner of runners.values()) {
      const measured = found.get(runner.parts.consumer.name);
      if (measured) add(measured, await walkPage(walk, runner, { after, up_to }));
    }
    after = up_to;
  }
  for (const { account_id, consumer } of await queries.listRetrying(database.scan, MAX_RETRYING))
    runners.get(consumer)?.retry(account_id);
  if (!isStopping()) await keep(walk, found);
}

type Lag = { lag: number; accounts_behind: number };

function add(sum: Lag, { lag, accounts_behind }: Lag): void {
  sum.lag += lag;
  sum.accounts_behind += accounts_behind;
}

async function walkPage(
  { database }: Walk,
  runner: ConsumerRunner,
  page: { after: string; up_to: string },
): Promise<Lag> {
  const { name: consumer, event_types } = runner.parts.consumer;
  const wanted = { consumer, event_types, scan: SCAN, ...page };
  const rows = await queries.listBehind(database.scan, database.dialect, wanted);
  const sum: Lag = { lag: 0, accounts_behind: 0 };
  for (const { account_id, head, seq, next } of rows) {
    if (isQuiet({ head, seq, next })) continue;
    add(sum, { lag: head - (next ?? seq + 1) + 1, accounts_behind: 1 });
    runner.wake(account_id);
  }
  if (rows.some(isWorthSkipping))
    await database.maintenanceTransaction((tx) => skipQuiet(tx, database.dialect, wanted));
  return sum;
}

type Distance = Pick<queries.Behind, 'head' | 'seq' | 'next'>;
const isQuiet = ({ head, seq, next }: Distance): boolean => next === null && head <= seq + SCAN;
const isWorthSkipping = (row: Distance): boolean => isQuiet(row) && row.head - row.seq >= MIN_SKIPPED;

/** Reads them again in the transaction, whose connection cannot lead to a log that was set back in between. */
async function skipQuiet(tx: Transaction, dialect: Dialect, wanted: queries.WalkPage): Promise<void> {
  const { consumer } = wanted;
  const rows = (await queries.listBehind(tx, dialect, wanted)).filter(isWorthSkipping);
  const skipped = rows.map(({ account_id, head }) => ({ account_id, consumer, seq: head }));
  if (skipped.length > 0) await tx.insertMany(queries.skipEvents, skipped);
}

async function keep({ database, now }: Walk, found: ReadonlyMap<string, Lag>): Promise<void> {
  const dead = new Map((await queries.countDeadLetters(database.scan)).map(({ consumer, n }) => [consumer, n]));
  const before = new Map((await queries.listMeasured(database.scan)).map((row) => [row.consumer, row]));
  const changed = [...found].filter(([consumer, { lag, accounts_behind }]) => {
    const known = before.get(consumer);
    const isSame = known?.lag === lag && known.accounts_behind === accounts_behind;
    return !isSame || known.dead_letters !== (dead.get(consumer) ?? 0);
  });
  if (changed.length === 0) return;
  await database.maintenanceTransaction(async (tx) => {
    for (const [consumer, lag] of changed)
      await queries.keepMeasured(tx, { consumer, ...lag, dead_letters: dead.get(consumer) ?? 0 }, now);
  });
}
