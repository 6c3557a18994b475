import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../../bench/simulator/world.mjs';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

describe.each(backends)('segments on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  let n = 0;
  const committed = (failed: boolean, more: object = {}, as: object = {}) =>
    app.call(
      'outcomes.commit',
      { outcome_ref: `run-${n++}`, outcome_type: failed ? 'failure' : 'success', ...more } as never,
      { session_id: `s-${n}`, ...as },
    );
  const attributes = (release: string) => ({ attributes: { release } });

  it('name the release that fails, by outcomes and by what a judge found', async () => {
    await app.call('judges.create', {
      ...{ judge_id: 'no-delete', status: 'draft' },
      definition: { kind: 'code', checks: [{ check: 'tool_forbidden', tool: 'delete' }] },
    });
    const runs = [];
    for (let at = 0; at < 12; at++) {
      const tool_calls = [{ tool_name: at % 2 === 0 ? 'delete' : 'pay', arguments: {} }];
      runs.push(await committed(true, { ...attributes('2.0'), tool_calls }));
      runs.push(await committed(false, { ...attributes('1.9'), tool_calls: [{ tool_name: 'pay', arguments: {} }] }));
    }
    const byOutcome = await app.call('segments.list', { by: ['attributes.release', 'attributes.none'] });
    expect(byOutcome).toMatchObject({ looked_at: 24, complete: true, compared: 1, fails: { count: 12, of: 24 } });
    expect(byOutcome.segments).toMatchObject([
      { dimension: 'attributes.release', value: '2.0', differs: 'worse', fails: { rate: 1 }, rest: { rate: 0 } },
    ]);
    const withMany = await app.call('segments.list', { by: ['attributes.release'], min_runs: 13 });
    expect(withMany).toMatchObject({ segments: [], compared: 0, not_compared: 2 });
    for (const { trace_id } of runs)
      await app.call('verdicts.judge', { trace_id: trace_id as string, judge_id: 'no-delete' });
    const { trace_id } = runs[0] as { trace_id: string };
    await app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result: 'pass' });
    const byJudge = await app.call('segments.list', { judge_id: 'no-delete', by: ['tool_name'] });
    expect(byJudge.segments[0]).toMatchObject({ value: 'delete', differs: 'worse', fails: { count: 5, of: 6 } });
    expect(await refusal(app.call('segments.list', { judge_id: 'none' }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(app.call('segments.list', { by: ['colour'] }))).toMatchObject({ code: 'invalid_input' });
  });

  it('are not of the outcome itself, whatever says which runs failed, unless it is asked for', async () => {
    await app.call('judges.create', {
      ...{ judge_id: 'succeeds', status: 'draft' },
      definition: { kind: 'code', checks: [{ check: 'outcome', in: ['success'] }] },
    });
    for (let at = 0; at < 12; at++) {
      const { trace_id } = await app.call('traces.create', {
        outcome_ref: `sealed-${at}`,
        outcome_type: at % 2 === 0 ? 'success' : 'regression',
        attributes: { shift: at < 6 ? 'day' : 'night' },
      } as never);
      await app.call('verdicts.judge', { trace_id, judge_id: 'succeeds' });
    }
    for (const by of [{}, { judge_id: 'succeeds' }]) {
      const { segments } = await app.call('segments.list', by);
      const dimensions = segments.map(({ dimension }) => dimension);
      // Two values that divide all runs are one row.
      expect(dimensions.filter((name) => name === 'attributes.shift')).toHaveLength(1);
      expect(dimensions.filter((name) => name.includes('outcome'))).toEqual([]);
    }
    const asked = await app.call('segments.list', { judge_id: 'succeeds', by: ['outcome_type'] });
    expect(asked.segments).toMatchObject([{ value: 'regression', fails: { rate: 1 }, rest: { rate: 0 } }]);
    const { dimensions } = await app.call('dimensions.list', {});
    expect(dimensions.map(({ name }) => name).filter((name) => name.includes('outcome'))).toEqual(['outcome_type']);
  });

  it('are of the agent and the time that are asked for, with what is not indexed yet', async () => {
    for (let at = 0; at < 6; at++) await committed(at % 2 === 0, { agent_id: `agent/${at % 2}` });
    app.clock.advance(60_000);
    const since = new Date(app.clock.now()).toISOString();
    await committed(true, { agent_id: 'agent/1' });
    expect(await app.call('segments.list', { min_runs: 1 })).toMatchObject({
      looked_at: 7,
      fails: { count: 4, of: 7 },
    });
    expect(await app.call('segments.list', { agent_id: 'agent/1' })).toMatchObject({ fails: { count: 1, of: 4 } });
    expect(await app.call('segments.list', { since })).toMatchObject({ looked_at: 1 });
    expect(await app.call('segments.list', { until: since })).toMatchObject({ looked_at: 6 });
  });

  it('and dimensions show nobody what is not theirs', async () => {
    await app.call('entries.write', { entity_path: 'open/a', key: 'k', value: 1 });
    await app.call(
      'entries.write',
      { entity_path: 'own/b', key: 'k', value: 1, shared: false },
      { agent_id: 'agent/me' },
    );
    const me = { agent_id: 'agent/me', session_id: 'mine' };
    await app.call('entries.read', { entity_path: 'open/a', key: 'k' }, me);
    await app.call('entries.read', { entity_path: 'own/b', key: 'k' }, me);
    await committed(false, {}, me);
    const pathsFor = async (as: object) => {
      const { dimensions } = await app.call('dimensions.list', {}, as);
      return dimensions.find(({ name }) => name === 'path')?.values.map(({ value }) => value);
    };
    expect((await pathsFor(me))?.toSorted()).toEqual(['open/a', 'own/b']);
    expect(await pathsFor({ agent_id: 'agent/other' })).not.toContain('own/b');
  });
});

it('segments find what was planted in a world: the release, and no region or tier', async () => {
  const app = await openTestApp('sqlite');
  onTestFinished(() => app.close());
  const world = makeWorld({ seed: 4, runs: 240, faults: ['release'] });
  await playWorld(world, { call: app.call, advanceTo: (at: number) => app.clock.advance(at - app.clock.now()) });
  await caughtUp(app);
  const by = ['attributes.release', 'attributes.region', 'attributes.tier', 'agent_id', 'path'];
  const { segments } = await app.call('segments.list', { by });
  const worse = segments.filter(({ differs }) => differs === 'worse');
  expect(worse.map(({ dimension, value }) => [dimension, value])).toEqual([['attributes.release', '2.0']]);
});
