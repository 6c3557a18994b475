import { eventTypes } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import {
  type Consumer,
  type ConsumerContext,
  hasOnlySince,
  type LogEvent,
  type LogPosition,
  readHead,
} from '../../kernel/index.ts';
import { type Compiled, compileDigests } from './compile.ts';
import { digestName } from './rows.ts';
import type { DueDigest } from './rules/due.ts';
import { saveDigests } from './save.ts';
import { dueBy, EVENT_TYPES } from './touched.ts';

export const CONSUMER = 'cortex.compile_digests';

/**
 * Events that are followed at once. Many, because a path or agent that many of them are about is compiled once for all of
 * them.
 */
const BATCH = 2_500;
/** Digests that are stored in one transaction, which writes wait for. */
const STORED_AT_ONCE = 100;
/** How long the changes of a scope are gathered before it is compiled, also while it goes on changing. */
const GATHER_SECONDS = 2;

/** Compiles the digests that writes and outcomes make due: one server at a time for each account. */
export const compileDue: Consumer = {
  name: CONSUMER,
  event_types: EVENT_TYPES,
  starts_at: 'the beginning',
  batch_size: BATCH,
  delay_seconds: GATHER_SECONDS,
  gives_way_seconds: 10,
  pause_seconds: GATHER_SECONDS,
  handle: followEvents,
};

const ALL_BUT_ERASURES = eventTypes.filter((type) => type !== 'erase');

async function followEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { kernel, account_id } = context;
  const { database } = kernel.services;
  const { dialect } = database;
  const query = database.forAccount(account_id).scan;
  const start = await readHead(query, account_id);
  if (!start) return;
  const due = await dueBy({ query, account_id, dialect }, events);
  for (let from = 0; from < due.length && !context.isStopping(); from += STORED_AT_ONCE) {
    const some = due.slice(from, from + STORED_AT_ONCE);
    const store = from + STORED_AT_ONCE < due.length ? context.step : context.work;
    await compileSome({ context, query, events, start }, some, store);
  }
}

/** `start`: where the log ended before it was looked up what the events are about. */
type Following = { context: ConsumerContext; query: Query; events: readonly LogEvent[]; start: LogPosition };

async function compileSome(
  { context, query, events, start }: Following,
  due: readonly DueDigest[],
  store: ConsumerContext['work'],
): Promise<void> {
  const { kernel, account_id } = context;
  const { clock, database } = kernel.services;
  const { dialect } = database;
  const head = (await readHead(query, account_id)) ?? start;
  const compiling = { dialect, account_id, at: clock.now(), seq: head.seq };
  const compiled = await compileDigests({ ...compiling, query }, due);
  if (compiled.save.length + compiled.remove.length === 0) return;
  await store(async (work) => {
    const { tx } = work;
    const since = { from: start, to: work.start.seq, types: ALL_BUT_ERASURES };
    const isUpToDate = await hasOnlySince(tx, account_id, since);
    await saveDigests(work, isUpToDate ? compiled : await compiledAgain());
    async function compiledAgain(): Promise<Compiled> {
      // Names that were erased since must not come back.
      const names = new Set(due.map(digestName));
      const again = await dueBy({ query: tx, account_id, dialect }, events);
      const same = again.filter((one) => names.has(digestName(one)));
      return compileDigests({ ...compiling, query: tx }, same);
    }
  });
}
