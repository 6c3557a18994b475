import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, readyPlace, type TestApp } from '../../../tests/support/app.ts';
import { listTracesBetween } from '../../server/src/module.ts';
import { matchTraces } from '../src/behaviors/index.ts';
import { listActive as listBehaviors } from '../src/behaviors/queries.ts';
import { isSampled } from '../src/evaluation/index.ts';
import { listActive } from '../src/judges/index.ts';
import { judgeTraces, parseJudges } from '../src/verdicts/index.ts';
import { killOnce } from './kill-once.ts';

const NO_DELETE = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };

const traced = async (app: TestApp, tool_name: string, more: object = {}) =>
  (await app.call('traces.create', { tool_calls: [{ tool_name, arguments: {} }], ...more })).trace_id;

async function allVerdicts(app: TestApp, input: object = {}) {
  const found = [];
  for (let cursor: string | undefined; ; ) {
    const page = await app.call('verdicts.list', { limit: 1000, ...input, ...(cursor ? { cursor } : {}) });
    found.push(...page.verdicts);
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}

describe.each(backends)('judging on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('sees new traces a moment after they are sealed, by outcome or as they are, each once', async () => {
    const app = await open();
    const before = await traced(app, 'delete');
    await caughtUp(app);
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    await app.call('judges.create', { judge_id: 'drafted', definition: NO_DELETE, status: 'draft' });
    await app.call('judges.create', { judge_id: 'of-other', definition: NO_DELETE, for_agent: 'agent/other' });
    await app.call('judges.create', { judge_id: 'of-path', definition: NO_DELETE, for_path: 'billing/**' });
    const own = await traced(app, 'delete');
    const { trace_id: committed } = await app.call('outcomes.commit', {
      ...{ outcome_ref: 'run-1', outcome_type: 'success', tool_calls: [{ tool_name: 'pay', arguments: {} }] },
    });
    await caughtUp(app);
    const found = await allVerdicts(app);
    expect(found.map(({ trace_id, judge_id, result }) => [trace_id, judge_id, result])).toEqual([
      [committed, 'no-delete', 'pass'],
      [own, 'no-delete', 'fail'],
    ]);
    expect(found.some(({ trace_id }) => trace_id === before)).toBe(false);
    await caughtUp(app);
    expect(await allVerdicts(app)).toEqual(found);
  });

  it('of a trace by many judges, or for many behaviors, ends between two of them where the service stops', async () => {
    const app = await open();
    const { account_id } = caller();
    const { database } = app.kernel.services;
    const { read, scan } = database.forAccount(account_id);
    await traced(app, 'pay');
    for (const n of [1, 2, 3, 4]) {
      await app.call('judges.create', { judge_id: `no-delete-${n}`, definition: NO_DELETE });
      await app.call('behaviors.create', { behavior_id: `careful-${n}`, matcher: NO_DELETE.checks });
    }
    const traces = await listTracesBetween(scan, { account_id, agent_id: null, from: 0, before: 1000, limit: 10 });
    const source = { query: scan, dialect: database.dialect, account_id };
    let left = 2;
    const isStopping = () => left-- <= 0;
    const judges = await parseJudges(await listActive(read, account_id));
    expect(await judgeTraces(source, traces, { judges, rateOf: () => 1, isStopping })).toHaveLength(2);
    left = 2;
    // What is looked for in the past may be there already.
    const behaviors = (await listBehaviors(read, account_id)).map((one) => ({ ...one, version: one.version + 1 }));
    expect(await matchTraces(source, traces, { behaviors, isStopping })).toHaveLength(2);
  });

  it('samples by the ids of the traces', async () => {
    const app = await open();
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE, sampling_rate: 0.5 });
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) ids.push(await traced(app, 'pay'));
    await caughtUp(app);
    const judged = (await allVerdicts(app)).map(({ trace_id }) => trace_id).sort();
    expect(judged).toEqual(ids.filter((id) => isSampled(id, 0.5)).sort());
  });

  it('of the past has bounds, shows how far it is, and gives nothing twice', async () => {
    const app = await open();
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      ids.push(await traced(app, n % 2 === 0 ? 'delete' : 'pay', { agent_id: `agent/${n % 3}` }));
      app.clock.advance(60_000);
    }
    await caughtUp(app);
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    const few = await app.call('backfills.create', { judge_id: 'no-delete', for_agent: 'agent/1' });
    expect(few).toMatchObject({ status: 'running', progress: 0, traces: 0, ended_at: null });
    await caughtUp(app);
    expect(await app.call('backfills.read', { backfill_id: few.backfill_id })).toMatchObject({
      ...{ status: 'done', progress: 1, traces: 2, verdicts: 2, failed: 1, ended_at: expect.any(String) },
    });
    await app.call('backfills.create', { limit: 3 });
    await caughtUp(app);
    await app.call('backfills.create', { since: new Date(app.clock.now() - 3 * 60_000).toISOString() });
    await caughtUp(app);
    const { backfills } = await app.call('backfills.list', {});
    expect(backfills.map(({ status, traces, verdicts }) => [status, traces, verdicts])).toEqual([
      ['done', expect.any(Number), expect.any(Number)],
      ['done', 3, 2],
      ['done', 2, 2],
    ]);
    expect((await allVerdicts(app)).length).toBeGreaterThanOrEqual(4);
    await app.call('backfills.create', {});
    await caughtUp(app);
    expect((await allVerdicts(app)).map(({ trace_id }) => trace_id)).toEqual(ids.toReversed());
    const none = { judge_id: 'none' };
    expect(await refusal(app.call('backfills.create', none))).toMatchObject({ code: 'not_found' });
    expect(await refusal(app.call('backfills.read', { backfill_id: 'none' }))).toMatchObject({ code: 'not_found' });
  });

  it('of the past is cancelled', async () => {
    const app = await open();
    await traced(app, 'delete');
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    const { backfill_id } = await app.call('backfills.create', {});
    expect(await app.call('backfills.cancel', { backfill_id })).toMatchObject({ status: expect.any(String) });
    await caughtUp(app);
    const { status } = await app.call('backfills.read', { backfill_id });
    expect(['cancelled', 'done']).toContain(status);
    expect(await app.call('backfills.cancel', { backfill_id })).toMatchObject({ status });
  });

  it('goes on after the process was killed, and judges each trace once', async () => {
    const place = await readyPlace(backend);
    const app = await openTestApp(backend, { place });
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE, status: 'draft' });
    const TRACES = 1000;
    for (let n = 0; n < TRACES; n += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => traced(app, i % 2 === 0 ? 'delete' : 'pay')));
    await caughtUp(app);
    await app.call('judges.update', { judge_id: 'no-delete', status: 'active' });
    const now = app.clock.now() + 60_000;
    await caughtUp(app);
    await app.close();
    await killOnce('judged', place, now);
    const next = await openTestApp(backend, { place });
    onTestFinished(() => next.close());
    next.clock.advance(600_000);
    await caughtUp(next);
    await caughtUp(next);
    const [backfill] = (await next.call('backfills.list', {})).backfills;
    expect(backfill).toMatchObject({ status: 'done', traces: TRACES, verdicts: TRACES, failed: TRACES / 2 });
    const found = await allVerdicts(next);
    expect(new Set(found.map(({ verdict_id }) => verdict_id)).size).toBe(TRACES);
  });
});
