import {
  ADMINS,
  type Consumer,
  type ConsumerContext,
  findTraces,
  type LogEvent,
  MAIN_BRANCH,
  SELF_CALLER,
  type TraceFacts,
  type Work,
} from '@mem-service/server/module';
import { listActive } from '../judges/index.ts';
import { asksModel, isChosen, judgeTraces, type ParsedJudge, parseJudges } from './judge-traces.ts';
import { saveWithinPlan, VERDICTS_AT_ONCE } from './save.ts';

/**
 * Judges traces as they are sealed, beside the writes: after a crash it goes on where it was, and verdicts are stored with the
 * cursor, each once.
 */
export const judgeSealed: Consumer = {
  name: 'verdicts.judge_sealed',
  event_types: ['outcome', 'trace'],
  starts_at: 'now',
  // More than come in between two turns, between which it rests while many writes come in.
  batch_size: 500,
  pause_seconds: 0.5,
  gives_way_seconds: 2,
  handle: judgeEvents,
};

async function judgeEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel, isStopping } = context;
  const { database } = kernel.services;
  const { read, scan } = database.forAccount(account_id);
  const judges = await parseJudges(await listActive(read, account_id));
  if (judges.length === 0) return;
  const found = await findTraces(
    read,
    account_id,
    events.map(({ seq }) => seq),
  );
  const traces = found.flatMap((trace) => trace ?? []);
  const source = { query: scan, dialect: database.dialect, account_id };
  const verdicts = await judgeTraces(source, traces, { judges, rateOf: (one) => one.sampling_rate, isStopping });
  const asked = kernel.services.settings.judging_server === null ? [] : chosenByModels(traces, judges);
  if (isStopping() || verdicts.length + asked.length === 0) return;
  let from = 0;
  for (; verdicts.length - from > VERDICTS_AT_ONCE && !isStopping(); from += VERDICTS_AT_ONCE) {
    const some = verdicts.slice(from, from + VERDICTS_AT_ONCE);
    await context.step((work) => saveWithinPlan(work, some));
  }
  if (isStopping()) return;
  await context.work(async (work) => {
    await saveWithinPlan(work, verdicts.slice(from));
    if (asked.length > 0) startModels(work, asked);
  });
}

/** A model takes its time: another consumer asks it, which follows this event. */
function startModels(work: Work, traces: readonly number[]): void {
  work.emit({
    event_type: 'model_judging_started',
    ...{ agent_id: SELF_CALLER.agent_id, branch: MAIN_BRANCH, visible_to: ADMINS },
    ...{ entity_path: null, key: null, version: null },
    details: { traces },
  });
}

const chosenByModels = (traces: readonly TraceFacts[], judges: readonly ParsedJudge[]): number[] => {
  const asking = judges.filter(asksModel);
  return traces.filter((trace) => asking.some((one) => isChosen(trace, one, one.sampling_rate))).map(({ seq }) => seq);
};
