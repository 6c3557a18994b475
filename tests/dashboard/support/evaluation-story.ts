import type { TestApp } from '../../support/app.ts';
import { XSS } from './review-story.ts';

/** Two judges, one of them in two versions, and what they found in a trace; every text that somebody can write holds a script. */
export async function fillEvaluation({ call }: Pick<TestApp, 'call'>, traces: readonly string[]): Promise<void> {
  const limit = (n: number) => ({
    kind: 'code' as const,
    checks: [{ check: 'most' as const, of: 'failed_tool_calls' as const, limit: n }],
  });
  await call('judges.create', {
    judge_id: 'no-failed-tools',
    name: 'No failed tools',
    definition: limit(1),
    status: 'draft',
  });
  await call('judges.update', { judge_id: 'no-failed-tools', definition: limit(0) });
  await call('judges.create', {
    ...{ judge_id: 'hostile', name: XSS, description: XSS, status: 'draft' as const },
    definition: { kind: 'code', checks: [{ check: 'pattern', in: 'response_text', pattern: 'hacked' }] },
  });
  for (const trace_id of traces)
    for (const judge_id of ['no-failed-tools', 'hostile']) await call('verdicts.judge', { trace_id, judge_id });
  const [trace_id = ''] = traces;
  await call('verdicts.overrule', { trace_id, judge_id: 'hostile', result: 'pass', reason: XSS });
  await call('backfills.create', { judge_id: 'no-failed-tools' });
  await call('behaviors.create', {
    ...{ behavior_id: 'hostile', name: XSS, description: XSS },
    matcher: [{ check: 'outcome', in: ['success'], not: true }],
  });
  await call('cases.create', { case_id: 'hostile', name: XSS, description: XSS, task_input: XSS });
  const results = [{ case_id: 'hostile', result: 'fail' as const, reason: XSS }];
  await call('case_runs.create', { label: XSS, results });
  await call('alert_rules.create', { rule_id: 'dear', name: XSS, metric: 'cost_usd', above: 0 });
}
