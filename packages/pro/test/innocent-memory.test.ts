import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { BAD, GOOD, LIMIT, OTHER, run } from './wrong-limit.ts';

const POLICY = { entity_path: 'shop/refunds', key: 'policy' };
const SUCCESS = { kind: 'code' as const, checks: [{ check: 'outcome' as const, in: ['success' as const] }] };
const calls = (...tools: string[]) => ({
  tool_calls: tools.map((tool_name) => ({ tool_name, arguments: {}, success: true })),
});

describe.each(backends)('memory that is not to blame on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await app.call('judges.create', { judge_id: 'succeeds', definition: SUCCESS });
    for (const at of [LIMIT, OTHER, POLICY]) await app.call('entries.write', { ...at, value: 'as agreed' });
    return app;
  };
  const flush = async (app: TestApp) => {
    for (let n = 0; n < 3; n++) await caughtUp(app);
  };

  it('is read where a tool is called that fails half the time', async () => {
    const app = await open();
    let trace_id = '';
    for (let n = 0; n < 24; n++) {
      await run(app, OTHER, { ...GOOD, ...calls('look_up') });
      const isBad = Math.floor(n / 4) % 2 === 1;
      const refunded = await run(app, n % 4 === 3 ? POLICY : LIMIT, { ...(isBad ? BAD : GOOD), ...calls('pay') });
      if (isBad && n % 4 === 0) trace_id = refunded;
    }
    await flush(app);
    const { suspects } = await app.call('failures.attribute', { judge_id: 'succeeds' });
    expect(suspects).toMatchObject([
      { ...LIMIT, with_it: { count: 9, of: 18 }, explained_by: { dimension: 'tool_name', value: 'pay' } },
    ]);
    const asked = { trace_id, judge_id: 'succeeds' };
    expect(await refusal(app.call('fixes.propose', asked))).toMatchObject({ code: 'conflict' });
    const given = await app.call('fixes.propose', { ...asked, entries: [{ ...LIMIT, value: 50 }] });
    expect(given.entries).toMatchObject([{ ...LIMIT, action: 'replace' }]);
  });

  it('is read with good outcomes, whatever else its runs do', async () => {
    const app = await open();
    const matcher = [{ check: 'tool_forbidden' as const, tool: 'verify' }];
    await app.call('behaviors.create', { behavior_id: 'skips-verify', matcher });
    for (let n = 0; n < 8; n++) await run(app, OTHER, { ...GOOD, ...calls('verify', 'pay') });
    for (let n = 0; n < 8; n++) await run(app, LIMIT, { ...GOOD, ...calls('pay') });
    await flush(app);
    const { suspects } = await app.call('failures.attribute', { behavior_id: 'skips-verify' });
    expect(suspects).toMatchObject([{ ...LIMIT, ledger: { successes: 8, failures: 0 } }]);
    const asked = { behavior_id: 'skips-verify' };
    expect(await refusal(app.call('fixes.propose', asked))).toMatchObject({ code: 'conflict' });
    const given = await app.call('fixes.propose', { ...asked, entries: [{ ...LIMIT, value: 'verify first' }] });
    expect(given.entries).toMatchObject([{ ...LIMIT, action: 'replace', ledger: { successes: 8 } }]);
  });

  it('is read in a single run that failed', async () => {
    const app = await open();
    for (let n = 0; n < 12; n++) await run(app, OTHER, GOOD);
    const trace_id = await run(app, POLICY, BAD);
    await flush(app);
    const asked = { trace_id, judge_id: 'succeeds' };
    expect(await refusal(app.call('fixes.propose', asked))).toMatchObject({ code: 'conflict' });
  });
});
