import type { TestApp } from '../support/app.ts';
import { layAlerts } from './alerts.ts';
import { layMatches } from './behaviors.ts';
import { layFixes } from './fixes.ts';
import { layIncidents } from './incidents.ts';
import type { LongNames } from './long-branches.ts';
import { layPatterns } from './patterns.ts';
import type { KnownIds } from './table.ts';

/** Judges, versions of one, verdicts on one trace and backfills with long names and texts; their ids are known afterwards. */
export async function layLongJudging(app: TestApp, known: KnownIds, { as, count, text }: LongNames): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const looksFor = (i: number) => ({
    kind: 'code' as const,
    checks: [{ check: 'pattern' as const, in: 'response_text' as const, pattern: text(400, i) }],
  });
  const judgeIds = numbers.map((i) => `long-${i}`);
  const { trace_id } = known as { trace_id: string };
  for (const [i, judge_id] of judgeIds.entries()) {
    const judge = { judge_id, description: text(2000, i), definition: looksFor(0), status: 'draft' as const };
    await app.call('judges.create', judge as never, as);
    await app.call('verdicts.judge', { trace_id, judge_id }, as);
    const human = { result: 'pass' as const, reason: text(1000, i) };
    await app.call('verdicts.overrule', { trace_id, judge_id, ...human }, as);
  }
  const [judge_id] = judgeIds as [string];
  for (const i of numbers) await app.call('judges.update', { judge_id, definition: looksFor(i + 1) } as never, as);
  for (const i of numbers) {
    const { backfill_id } = await app.call('backfills.create', { judge_id, for_agent: text(120, i) } as never, as);
    await app.call('backfills.cancel', { backfill_id }, as);
  }
  for (const i of numbers) {
    const kept = {
      case_id: `long-${i}`,
      task_input: text(20_000, i),
      description: text(2000, i),
      expected: looksFor(i),
    };
    await app.call('cases.create', kept as never, as);
  }
  for (const i of numbers) {
    const set_id = `long-set-${i}`;
    await app.call('cases.create', { case_id: set_id, set_id, task_input: 'a task' }, as);
    await app.call('case_runs.create', { set_id, label: text(128, i) }, as);
  }
  const results = numbers.map((i) => ({ case_id: `long-${i}`, result: 'fail' as const, reason: text(1000, i) }));
  for (const i of numbers) {
    const { case_run_id } = await app.call('case_runs.create', { label: text(128, i), results }, as);
    known.case_run_id = case_run_id;
  }
  await layLongBehaviors(app, known, { as, count, text });
  known.case_id = 'long-0';
  [known.incident_id] = await layIncidents(app, { as }, { trace_id, judge_ids: judgeIds });
  const keys = numbers.map((i) => `long-${i}`);
  [known.fix_id] = await layFixes(app, { as, mark: 'long' }, { keys, description: text(2000, 0) });
  known.judge_id = judge_id;
  const ids = numbers.slice(0, 50).map((i) => `long-${i}`);
  await layAlerts(app, { as, known }, { ids, nameOf: (i) => text(120, i), comment: (i) => text(4000, i) });
  const paths = ids.map((id, i) => `${id}/${text(200, i)}`);
  await layPatterns(app, { as, known }, { paths, reason: (i) => text(1000, i) });
}

async function layLongBehaviors(app: TestApp, known: KnownIds, { as, count, text }: LongNames): Promise<void> {
  const { trace_id } = known as { trace_id: string };
  const ids = Array.from({ length: count }, (_, i) => `long-${i}`);
  for (const [i, behavior_id] of ids.entries()) {
    const matcher = [{ check: 'pattern' as const, pattern: text(400, i) }];
    const behavior = { behavior_id, matcher, description: text(2000, i), status: 'draft', backfill: false };
    await app.call('behaviors.create', behavior as never, as);
  }
  await layMatches(app, { as }, { trace_id, behavior_ids: ids });
  known.behavior_id = ids[0];
}
