import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, readyPlace, type TestApp } from '../../../tests/support/app.ts';
import { killOnce } from './kill-once.ts';

const at = { entity_path: 'checkout', key: 'retries' };
const NO_DELETE = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };
const NO_PAY = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'pay' }] };

let n = 0;

/** A session that reads entries, calls a tool and reports an outcome that credits nothing. */
async function run(
  app: TestApp,
  tool_name: string,
  more: { branch?: string; keys?: string[]; agent_id?: string } = {},
) {
  const { branch = 'main', keys = [at.key], agent_id = 'agent/reader' } = more;
  const caller = { agent_id, session_id: `s${n++}` };
  for (const key of keys) await app.call('entries.read', { ...at, key, branch }, caller);
  const { trace_id } = await app.call(
    'outcomes.commit',
    { outcome_ref: `run-${n}`, outcome_type: 'success', branch, used: [], tool_calls: [{ tool_name, arguments: {} }] },
    caller,
  );
  return trace_id as string;
}

describe.each(backends)('verdicts as evidence on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await app.call('entries.write', { ...at, value: 3, confidence: 0.7 });
    return app;
  };
  const judge = (app: TestApp, judge_id: string, more: object = {}) =>
    app.call('judges.create', { judge_id, definition: NO_DELETE, ...more });
  const story = async (app: TestApp, branch = 'main') => {
    const shown = await app.call('entries.confidence', { ...at, branch });
    expect(shown.recomputed).toEqual({ confidence: shown.confidence, matches: true });
    return shown;
  };
  const verdictsIn = ({ steps }: Awaited<ReturnType<typeof story>>) =>
    steps.filter(({ kind }) => kind === 'verdict').map(({ judge_id, verdict, weight }) => [judge_id, verdict, weight]);

  it('count nothing unless the judge has a weight', async () => {
    const app = await open();
    expect(await judge(app, 'plain')).toMatchObject({ evidence_weight: 0 });
    await run(app, 'delete');
    await caughtUp(app);
    await caughtUp(app);
    expect((await app.call('verdicts.list', {})).verdicts).toHaveLength(1);
    const { steps, confidence } = await story(app);
    expect([steps.length, confidence]).toEqual([1, 0.7]);
    for (const evidence_weight of [-0.1, 1.1])
      expect(await refusal(judge(app, 'other', { evidence_weight }))).toMatchObject({ code: 'invalid_input' });
  });

  it('move what the trace read, once, and say so', async () => {
    const app = await open();
    await judge(app, 'no-delete', { evidence_weight: 0.5 });
    await run(app, 'delete');
    await caughtUp(app);
    await caughtUp(app);
    const shown = await story(app);
    expect(shown.confidence).toBeCloseTo((2 * 0.7) / 2.5);
    expect(shown.steps.at(-1)).toMatchObject({
      ...{ kind: 'verdict', judge_id: 'no-delete', judge_version: 1, verdict: 'fail', overruled: false },
      ...{ outcome_ref: null, outcome_type: null, agent_id: 'system', weight: 0.5, confidence_before: 0.7 },
      why: 'fail of judge no-delete (the trace counts 0.00 for and 0.50 against): 0.70 -> 0.56',
    });
    expect(shown.summary).toContain('after 0 outcomes and verdicts on 1 trace');
    const { trace_id } = (await app.call('verdicts.list', {})).verdicts[0] as { trace_id: string };
    await app.call('verdicts.judge', { trace_id, judge_id: 'no-delete' });
    await app.call('backfills.create', {});
    await caughtUp(app);
    await caughtUp(app);
    expect((await story(app)).steps).toEqual(shown.steps);
    const { events } = await app.call('log.list', { types: ['verdicts_counted'] } as never);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ agent_id: 'agent/reader', details: { entries: 1 } });
    const { n: predicted } = await app.call('outcomes.calibration', {});
    expect(predicted).toBe(0);
  });

  it('are taken back by a person, and by a newer version of the judge', async () => {
    const app = await open();
    await judge(app, 'no-delete', { evidence_weight: 1 });
    const trace_id = await run(app, 'delete');
    await caughtUp(app);
    await caughtUp(app);
    const failed = (await story(app)).confidence;
    const overrule = (result: 'pass' | 'fail' | null) =>
      app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result, agent_id: 'anna' });
    await overrule('pass');
    await caughtUp(app);
    const passed = await story(app);
    expect(passed.confidence).toBeCloseTo((2 * 0.7 + 1) / 3);
    expect(passed.steps.at(-1)).toMatchObject({ verdict: 'pass', overruled: true, agent_id: 'anna' });
    await overrule(null);
    await caughtUp(app);
    expect((await story(app)).confidence).toBe(failed);
    await app.call('judges.update', { judge_id: 'no-delete', definition: NO_PAY });
    await app.call('verdicts.judge', { trace_id, judge_id: 'no-delete' });
    await caughtUp(app);
    const again = await story(app);
    expect(again.confidence).toBe(passed.confidence);
    expect(again.steps.at(-1)).toMatchObject({ verdict: 'pass', judge_version: 2, overruled: false });
    const skipped = { kind: 'code' as const, checks: [{ check: 'most' as const, of: 'cost_usd' as const, limit: 1 }] };
    await app.call('judges.update', { judge_id: 'no-delete', definition: skipped });
    await app.call('verdicts.judge', { trace_id, judge_id: 'no-delete' });
    await caughtUp(app);
    const none = await story(app);
    expect([none.confidence, none.steps.at(-1)?.verdict]).toEqual([0.7, 'withdrawn']);
  });

  it('of many judges on a trace count as much as one outcome', async () => {
    const app = await open();
    for (const id of ['a', 'b', 'c', 'd']) await judge(app, id, { evidence_weight: 1 });
    await judge(app, 'e', { evidence_weight: 1, definition: NO_PAY });
    await run(app, 'delete');
    await caughtUp(app);
    await caughtUp(app);
    const shown = await story(app);
    expect(verdictsIn(shown).map(([id, verdict]) => [id, verdict])).toEqual([
      ...['a', 'b', 'c', 'd'].map((id) => [id, 'fail']),
      ['e', 'pass'],
    ]);
    expect(shown.confidence).toBeCloseTo((2 * 0.7 + 0.2) / 3);
  });

  it('are shared among the entries read, and leave alone what says something else by now', async () => {
    const app = await open();
    await app.call('entries.write', { ...at, key: 'other', value: 1, confidence: 0.7 });
    await judge(app, 'no-delete', { evidence_weight: 1 });
    await run(app, 'delete', { keys: ['retries', 'other'] });
    await app.call('entries.write', { ...at, key: 'other', value: 2, confidence: 0.7 });
    await caughtUp(app);
    await caughtUp(app);
    expect((await story(app)).confidence).toBeCloseTo((2 * 0.7) / 2.5);
    expect(await app.call('entries.read', { ...at, key: 'other' })).toMatchObject({ confidence: 0.7 });
  });

  it('of private memory are seen by its owner only', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const owner = { agent_id: 'agent/owner', session_id: 'w' };
    await app.call('entries.write', { ...at, value: 3, confidence: 0.7, shared: false }, owner);
    await judge(app, 'no-delete', { evidence_weight: 1 });
    await run(app, 'delete', { agent_id: 'agent/owner' });
    await caughtUp(app);
    await caughtUp(app);
    const shown = await app.call('entries.confidence', at, owner);
    expect(shown.steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'fail' });
    expect(await refusal(app.call('entries.confidence', at, { agent_id: 'agent/other' }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('stay on their branch until it is merged, and are corrected in both places', async () => {
    const app = await open();
    await judge(app, 'no-delete', { evidence_weight: 1 });
    await app.call('branches.create', { name: 'exp' });
    const trace_id = await run(app, 'delete', { branch: 'exp' });
    await caughtUp(app);
    await caughtUp(app);
    expect((await story(app)).confidence).toBe(0.7);
    const there = (await story(app, 'exp')).confidence;
    expect(there).toBeCloseTo((2 * 0.7) / 3);
    await app.call('branches.merge', { name: 'exp', strategy: 'THREE_WAY', keep_open: true });
    const merged = await story(app);
    expect([merged.confidence, merged.evidence_status]).toEqual([there, 'discredited']);
    await app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result: 'pass', agent_id: 'anna' });
    await caughtUp(app);
    const corrected = (await story(app)).confidence;
    expect(corrected).toBeCloseTo((2 * 0.7 + 1) / 3);
    expect((await story(app, 'exp')).confidence).toBe(corrected);
    await app.call('branches.merge', { name: 'exp', strategy: 'THREE_WAY', keep_open: true });
    expect((await story(app)).confidence).toBe(corrected);
  });

  it('keep to the numbers while outcomes, restatements and newer values come in between', async () => {
    const app = await open();
    await judge(app, 'no-delete', { evidence_weight: 0.7 });
    const commit = (outcome_type: 'success' | 'failure') =>
      app.call(
        'outcomes.commit',
        { outcome_ref: `used-${n++}`, outcome_type, causal_entry_keys: ['checkout/retries'] },
        { agent_id: 'agent/other', session_id: `c${n}` },
      );
    await run(app, 'delete');
    await caughtUp(app);
    await caughtUp(app);
    await app.call('entries.write', { ...at, value: 3, confidence: 0.9 });
    await story(app);
    await commit('success');
    await commit('failure');
    await story(app);
    for (let i = 0; i < 20; i++) await run(app, i % 3 === 0 ? 'delete' : 'pay');
    await caughtUp(app);
    await caughtUp(app);
    await commit('success');
    const shown = await story(app);
    // Those of the first two outcomes that name the entry are there as well.
    expect(verdictsIn(shown)).toHaveLength(23);
    await app.call('entries.write', { ...at, value: 4, confidence: 0.6 });
    expect((await story(app)).confidence).toBe(0.6);
  });

  it('count once each although the process was killed while they were counted', async () => {
    const place = await readyPlace(backend);
    const app = await openTestApp(backend, { place });
    await app.call('entries.write', { ...at, value: 3, confidence: 0.7 });
    await judge(app, 'no-delete', { evidence_weight: 0.5, status: 'draft' });
    const TRACES = 200;
    for (let i = 0; i < TRACES; i++) await run(app, i % 2 === 0 ? 'delete' : 'pay');
    await caughtUp(app);
    await app.call('judges.update', { judge_id: 'no-delete', status: 'active' });
    await caughtUp(app);
    expect(verdictsIn(await story(app))).toEqual([]);
    const now = app.clock.now() + 60_000;
    await app.close();
    await killOnce('counted', place, now);
    const next = await openTestApp(backend, { place });
    onTestFinished(() => next.close());
    const left = verdictsIn(await story(next)).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(TRACES);
    next.clock.advance(600_000);
    await caughtUp(next);
    await caughtUp(next);
    const counted = verdictsIn(await story(next)).map(([, verdict]) => verdict);
    for (const verdict of ['pass', 'fail']) expect(counted.filter((one) => one === verdict)).toHaveLength(TRACES / 2);
  });
});
