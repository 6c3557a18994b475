import { type Consumer, type ConsumerContext, type LogEvent, pause } from '@mem-service/server/module';
import { type FailedVerdict, listFailedOf } from '../verdicts/index.ts';
import { type ReportedFailure, watchFailures } from './watch.ts';

/** Follows what judges and people find; after a crash it goes on where it was. */
export const watchVerdicts: Consumer = {
  name: 'incidents.watch_verdicts',
  event_types: ['traces_judged', 'verdict_overruled'],
  starts_at: 'now',
  batch_size: 20,
  pause_seconds: 0.5,
  gives_way_seconds: 2,
  handle: watchEvents,
};

type VerdictDetails = { traces?: readonly number[]; failed?: number; judge_id?: string; result?: string | null };
type VerdictEvent = { event: LogEvent; details: VerdictDetails; traces: readonly number[] };

function readEvent(event: LogEvent): VerdictEvent {
  const details = JSON.parse(event.details) as VerdictDetails;
  const mayFail = event.event_type === 'verdict_overruled' ? details.result !== 'pass' : details.failed !== 0;
  return { event, details, traces: mayFail ? (details.traces ?? []) : [] };
}

/** Hundreds of judges may have failed each. */
const TRACES_AT_ONCE = 5;

async function watchEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel } = context;
  const { database } = kernel.services;
  const asked = events.map(readEvent).filter(({ traces }) => traces.length > 0);
  const seqs = [...new Set(asked.flatMap(({ traces }) => traces))].sort((a, b) => a - b);
  if (seqs.length === 0) return;
  const { scan } = database.forAccount(account_id);
  const failed: FailedVerdict[] = [];
  for (let at = 0; at < seqs.length; at += TRACES_AT_ONCE) {
    const some = seqs.slice(at, at + TRACES_AT_ONCE);
    failed.push(...(await listFailedOf(scan, database.dialect, { account_id, seqs: some })));
    await pause();
  }
  const failures: ReportedFailure[] = [];
  for (const one of asked) {
    failures.push(...failuresOf(one, failed));
    await pause();
  }
  if (failures.length > 0) await watchFailures(context, failures, seqs.length);
}

/** Verdicts that the event reports; where a person overruled a judge, that of its newest version. */
function failuresOf({ event, details, traces }: VerdictEvent, failed: readonly FailedVerdict[]): ReportedFailure[] {
  const { seq, created_at: at } = event;
  const reported =
    event.event_type === 'verdict_overruled'
      ? failed
          .filter(({ judge_id, trace_seq }) => judge_id === details.judge_id && traces.includes(trace_seq))
          .slice(-1)
      : failed.filter((verdict) => verdict.seq === seq);
  return reported.map(({ judge_id, judge_version, agent_id, branch, visible_to, trace_seq, traced_at }) => ({
    group: {
      ...{ source_kind: 'judge', source_id: judge_id, source_version: judge_version },
      ...{ of_agent: agent_id, branch, visible_to },
    },
    ...{ trace_seq, traced_at, seq, at },
  }));
}
