import type { TestApp } from '../support/app.ts';
import { layAlerts } from './alerts.ts';
import { layBehaviors, layMatches } from './behaviors.ts';
import { layKnownIncidents } from './incidents.ts';
import { layPatterns } from './patterns.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

type JudgingSetup = Pick<ExampleSetup, 'as' | 'mark' | 'without_open_entries'>;

const atMost = (limit: number) => ({
  kind: 'code' as const,
  checks: [{ check: 'most' as const, of: 'failed_tool_calls' as const, limit }],
});

/** Two judges that look at traces only when they are asked to; the one that is known has two versions. */
export async function layJudges(
  app: TestApp,
  { as, mark, without_open_entries = false }: JudgingSetup,
  known: KnownIds,
): Promise<void> {
  const [judge_id, second_judge_id] = [`judge-of-${mark}`, `second-judge-of-${mark}`];
  for (const made of [judge_id, second_judge_id])
    await app.call('judges.create', { judge_id: made, definition: atMost(1), status: 'draft' }, as);
  await app.call('judges.update', { judge_id, definition: atMost(0) }, as);
  Object.assign(known, { judge_id, second_judge_id });
  await layBehaviors(app, { as, mark }, known);
  await layCases(app, { as, mark }, known);
  await layAlerts(app, { as, known }, { ids: [`rule-of-${mark}`, `second-rule-of-${mark}`] });
  if (without_open_entries) return;
  await layPatterns(app, { as, known }, { paths: [`${mark}/patterns`, `${mark}/patterns/second`] });
}

/** Two regression cases, and a run of the set that they are in. */
async function layCases(app: TestApp, { as, mark }: JudgingSetup, known: KnownIds): Promise<void> {
  const [case_id, second_case_id] = [`case-of-${mark}`, `second-case-of-${mark}`];
  for (const made of [case_id, second_case_id])
    await app.call('cases.create', { case_id: made, task_input: `about ${mark}`, expected: atMost(0) }, as);
  const results = [{ case_id, result: 'pass' as const, reason: `as ${mark} should` }];
  const { case_run_id } = await app.call('case_runs.create', { label: mark, results }, as);
  Object.assign(known, { case_id, case_run_id });
}

const judgedTraces = new WeakMap<KnownIds, unknown>();

/** Whether verdicts were laid for the trace that is known. */
export const isJudged = (known: KnownIds): boolean => judgedTraces.get(known) === known.trace_id;

/** What the judges find in the trace that was laid last, where there is one. */
export async function layVerdicts(app: TestApp, { as }: Pick<JudgingSetup, 'as'>, known: KnownIds): Promise<void> {
  const { trace_id, judge_id, second_judge_id } = known as Record<string, string | undefined>;
  if (trace_id === undefined || judge_id === undefined || second_judge_id === undefined) return;
  await app.call('verdicts.judge', { trace_id, judge_id: second_judge_id }, as);
  known.verdict_id = (await app.call('verdicts.judge', { trace_id, judge_id }, as)).verdict_id;
  const { behavior_id, second_behavior_id } = known as { behavior_id: string; second_behavior_id: string };
  const behavior_ids = [behavior_id, second_behavior_id];
  await layMatches(app, { as }, { trace_id, behavior_ids, mark: behavior_id.slice('behavior-of-'.length) });
  await layKnownIncidents(app, { as }, known);
  judgedTraces.set(known, trace_id);
}
