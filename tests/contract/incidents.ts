import { upsertIncidents } from '../../packages/pro/src/incidents/queries.ts';
import { reportChange } from '../../packages/pro/src/incidents/report.ts';
import { requireTrace, unchanged } from '../../packages/server/src/module.ts';
import { caller, type TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

/** An incident of each judge by the one trace that they have judged: rules would want more of them. Gives back the ids. */
export async function layIncidents(
  app: TestApp,
  { as }: Pick<ExampleSetup, 'as'>,
  { trace_id, judge_ids }: { trace_id: string; judge_ids: readonly string[] },
): Promise<string[]> {
  const by = caller(as);
  const { account_id } = by;
  const { services } = app.kernel;
  const { read } = services.database.forAccount(account_id);
  const { seq, agent_id, branch, visible_to } = await requireTrace({ read, caller: by, services }, trace_id);
  const ids: string[] = [];
  for (const source_id of judge_ids) {
    const judged = { trace_id, judge_id: source_id };
    const { judge_version: source_version } = await app.call('verdicts.judge', judged, as);
    await app.call('verdicts.overrule', { ...judged, result: 'fail' }, as);
    await app.kernel.work(by, 'incidents.watch_verdicts', async (work) => {
      const incident_id = services.ids.next(work.now);
      const row = {
        ...{
          account_id,
          incident_id,
          group_id: incident_id,
          source_kind: 'judge',
          source_id,
          source_version,
          of_agent: agent_id,
        },
        ...{ branch, visible_to, status: 'open', muted_until: null, rule: 'from_start', from_seq: seq, to_seq: seq },
        ...{ base_from_seq: null, base_until_seq: null, resolved_seq: null, failures: 1, reported_failures: 1 },
        ...{ last_trace_seq: seq, last_failed_at: work.now, seq: 0, created_at: work.now, opened_at: work.now },
        updated_at: work.now,
      };
      const place = { ...row, seq: reportChange(work, row, { change: 'opened' }) };
      work.send(work.tx.insertMany(upsertIncidents, [place]));
      ids.push(incident_id);
      return unchanged({});
    });
  }
  return ids;
}

/** Incidents of judges of their own, where a trace is known. */
export async function layKnownIncidents(
  app: TestApp,
  { as }: Pick<ExampleSetup, 'as'>,
  known: KnownIds,
): Promise<void> {
  const { trace_id, judge_id, second_judge_id, incident_id } = known as Record<string, string | undefined>;
  if (trace_id === undefined || judge_id === undefined || second_judge_id === undefined) return;
  if (incident_id !== undefined) return;
  [known.incident_id] = await layIncidents(app, { as }, { trace_id, judge_ids: [judge_id, second_judge_id] });
}
