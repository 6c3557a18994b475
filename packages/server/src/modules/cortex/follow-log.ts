import { eventTypes } from '@mem-service/contract';
import { type Consumer, type ConsumerContext, hasOnlySince, type LogEvent, readHead } from '../../kernel/index.ts';
import { type Compiled, compileDigests } from './compile.ts';
import { dueDigests } from './rules/due.ts';
import { saveDigests } from './save.ts';
import { EVENT_TYPES, touchedBy } from './touched.ts';

export const CONSUMER = 'cortex.compile_digests';

/** Events that are followed at once: few, because writes wait while the digests of many paths are stored. */
export const BATCH = 250;
/** How long the changes of a scope are gathered before it is compiled, also while it goes on changing. */
export const GATHER_SECONDS = 2;

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

async function followEvents({ kernel, account_id, work }: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { database, clock } = kernel.services;
  const { dialect } = database;
  const query = database.forAccount(account_id).scan;
  const head = await readHead(query, account_id);
  if (!head) return;
  const due = dueDigests(await touchedBy({ query, account_id, dialect }, events));
  if (due.length === 0) return;
  const compiling = { dialect, account_id, at: clock.now(), seq: head.seq };
  const compiled = await compileDigests({ ...compiling, query }, due);
  if (compiled.save.length + compiled.remove.length === 0) return;
  await work(async (work) => {
    const { tx } = work;
    const since = { from: head, to: work.start.seq, types: ALL_BUT_ERASURES };
    const isUpToDate = await hasOnlySince(tx, account_id, since);
    await saveDigests(work, isUpToDate ? compiled : await compiledAgain());
    async function compiledAgain(): Promise<Compiled> {
      // Names that were erased since must not come back.
      const again = dueDigests(await touchedBy({ query: tx, account_id, dialect }, events));
      return compileDigests({ ...compiling, query: tx }, again);
    }
  });
}
