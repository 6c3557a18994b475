import type { Consumer, ConsumerContext, LogEvent } from '@mem-service/server/module';
import { listMatchesIn, listWithoutIncidents } from '../behaviors/index.ts';
import { type ReportedFailure, watchFailures } from './watch.ts';

/** Follows in which traces behaviors are found; after a crash it goes on where it was. */
export const watchBehaviors: Consumer = {
  name: 'incidents.watch_behaviors',
  event_types: ['traces_matched'],
  starts_at: 'now',
  batch_size: 20,
  pause_seconds: 0.5,
  gives_way_seconds: 2,
  handle: watchMatches,
};

async function watchMatches(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel } = context;
  const { database } = kernel.services;
  const seqs = [...new Set(events.flatMap(tracesIn))];
  if (seqs.length === 0) return;
  const { scan } = database.forAccount(account_id);
  const [found, quiet] = await Promise.all([
    listMatchesIn(scan, database.dialect, { account_id, seqs }),
    listWithoutIncidents(scan, account_id),
  ]);
  const matches = found.filter(({ behavior_id }) => !quiet.includes(behavior_id));
  const failures = events.flatMap(({ seq, created_at: at }) =>
    matches
      .filter((match) => match.seq === seq)
      .map(({ behavior_id, behavior_version, agent_id, branch, visible_to, trace_seq, traced_at }): ReportedFailure => {
        const source = { source_kind: 'behavior', source_id: behavior_id, source_version: behavior_version };
        return { group: { ...source, of_agent: agent_id, branch, visible_to }, trace_seq, traced_at, seq, at };
      }),
  );
  if (failures.length > 0) await watchFailures(context, failures, seqs.length);
}

function tracesIn({ details }: LogEvent): readonly number[] {
  const { traces = [] } = JSON.parse(details) as { traces?: readonly number[] };
  return traces;
}
