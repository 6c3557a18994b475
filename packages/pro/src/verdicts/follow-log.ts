import { type Consumer, type ConsumerContext, findTraces, type LogEvent } from '@mem-service/server/module';
import { listActive } from '../judges/index.ts';
import { judgeTraces, parseJudges } from './judge-traces.ts';
import { saveVerdicts } from './save.ts';

/**
 * Judges traces as they are sealed, beside the writes: after a crash it goes on where it was, and verdicts are stored with the
 * cursor, each once.
 */
export const judgeSealed: Consumer = {
  name: 'verdicts.judge_sealed',
  event_types: ['outcome', 'trace'],
  starts_at: 'now',
  batch_size: 200,
  gives_way_seconds: 2,
  handle: judgeEvents,
};

async function judgeEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel, isStopping } = context;
  const { database } = kernel.services;
  const { read, scan } = database.forAccount(account_id);
  const judges = parseJudges(await listActive(read, account_id));
  if (judges.length === 0) return;
  const found = await findTraces(
    read,
    account_id,
    events.map(({ seq }) => seq),
  );
  const traces = found.flatMap((trace) => trace ?? []);
  const source = { query: scan, dialect: database.dialect, account_id };
  const verdicts = await judgeTraces(source, traces, { judges, rateOf: (one) => one.sampling_rate, isStopping });
  if (isStopping() || verdicts.length === 0) return;
  await context.work((work) => saveVerdicts(work, verdicts));
}
