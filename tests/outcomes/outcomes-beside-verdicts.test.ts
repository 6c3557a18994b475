import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { patternsIn, scanned } from '../evaluation/pattern-scans.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const JUDGES = 12;
const FAILURES = 6;
const PATH = { entity_path: 'shop/cart' };
const NAMED = { ...PATH, key: 'limit' };

/** Each failure of the entry has a line of its own in the ledger, and after it one of each judge. */
async function failWithJudges(app: TestApp): Promise<void> {
  const definition = { kind: 'code', checks: [{ check: 'tool_forbidden', tool: 'guess' }] } as never;
  for (let i = 0; i < JUDGES; i++)
    await app.call('judges.create', { judge_id: `judge-${i}`, definition, evidence_weight: 1 });
  await app.call('entries.write', { ...NAMED, value: 'three attempts', confidence: 0.9 });
  for (let i = 0; i < FAILURES; i++) {
    const as = { agent_id: 'agent/worker', session_id: `session-${i}` };
    await app.call('entries.read', NAMED, as);
    const tool_calls = [{ tool_name: 'retry', arguments: {} }];
    await app.call('outcomes.commit', { outcome_ref: `order-${i}`, outcome_type: 'failure', tool_calls }, as);
    for (let turn = 0; turn < 3; turn++) await caughtUp(app);
  }
}

describe.each(backends)('outcomes beside the verdicts of judges, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await failWithJudges(app);
  });
  afterAll(() => app.close());

  it('have verdicts between them in the ledger', async () => {
    const { steps } = await app.call('entries.confidence', NAMED);
    expect(steps.filter(({ kind }) => kind === 'verdict').length).toBe(FAILURES * JUDGES);
  });

  it('are told in the briefing', async () => {
    const { tried_here } = await app.call('briefing.read', PATH);
    expect(tried_here).toMatchObject([{ action: 'retry', n: 5, won: 0 }]);
    await app.call('branches.create', { name: 'trial' });
    expect((await app.call('briefing.read', { ...PATH, branch: 'trial' })).tried_here).toEqual(tried_here);
  });

  it('are all counted by a scan for patterns', async () => {
    await scanned(app);
    const found = await patternsIn(app, { pattern_type: 'recurring_failure' });
    expect(found).toMatchObject([
      { ...PATH, severity: 'critical', figures: { failures: FAILURES, outcomes: FAILURES } },
    ]);
  });
});
