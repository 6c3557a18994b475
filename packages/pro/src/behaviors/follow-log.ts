import { type Consumer, type ConsumerContext, findTraces, type LogEvent } from '@mem-service/server/module';
import { matchTraces } from './match-traces.ts';
import { listActive } from './queries.ts';
import { saveLooks } from './save.ts';

/** Looks for behaviors in traces as they are sealed, beside the writes; after a crash it goes on where it was. */
export const matchSealed: Consumer = {
  name: 'behaviors.match_sealed',
  event_types: ['outcome', 'trace'],
  starts_at: 'now',
  batch_size: 200,
  pause_seconds: 0.5,
  gives_way_seconds: 2,
  handle: matchEvents,
};

async function matchEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel, isStopping } = context;
  const { database } = kernel.services;
  const { read, scan } = database.forAccount(account_id);
  const behaviors = await listActive(read, account_id);
  if (behaviors.length === 0) return;
  const seqs = events.map(({ seq }) => seq);
  const traces = (await findTraces(read, account_id, seqs)).flatMap((trace) => trace ?? []);
  const source = { query: scan, dialect: database.dialect, account_id };
  const looks = await matchTraces(source, traces, { behaviors, isStopping });
  if (isStopping() || looks.length === 0) return;
  await context.work((work) => saveLooks(work, looks));
}
