import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const NO_DELETE = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };
const NO_PAY = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'pay' }] };

const traced = async (app: TestApp, tool_name: string, more: object = {}) =>
  (await app.call('traces.create', { tool_calls: [{ tool_name, arguments: {} }], ...more })).trace_id;

/** Traces of which every nth fails. */
async function trace(app: TestApp, [n, every]: readonly [number, number], more: object = {}): Promise<void> {
  for (let i = 1; i <= n; i++) await traced(app, i % every === 0 ? 'delete' : 'pay', more);
  await caughtUp(app);
  await caughtUp(app);
}

const listed = async (app: TestApp, input: object = {}, as = {}) =>
  (await app.call('incidents.list', input, as)).incidents;

describe.each(backends)('incidents on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    return app;
  };

  it('are opened where a judge fails more often than before, and explain every number', async () => {
    const app = await open();
    await trace(app, [120, 40]);
    expect(await listed(app)).toEqual([]);
    await trace(app, [16, 2]);
    const [incident] = await listed(app);
    expect(incident).toMatchObject({
      ...{ source_kind: 'judge', source_id: 'no-delete', source_version: 1, agent_id: 'agent/test', status: 'open' },
      ...{ rule: 'excess', bound: 0.0005, branch: 'main', muted_until: null },
      base: { rate: expect.any(Number), samples: expect.any(Number) },
      window: { samples: 20 },
    });
    const { window, base, chance, reason } = incident as NonNullable<typeof incident>;
    expect(chance).toBeLessThan(0.0005);
    expect(window.low).toBeGreaterThan(base?.high as number);
    expect(reason).toMatch(/^\d of 20 traces failed \(\d+ %\), where \d of \d+ traces failed before/);
  });

  it('are opened of a new judge that fails mostly, and not of one that fails as always', async () => {
    const app = await open();
    await trace(app, [120, 3]);
    expect(await listed(app)).toEqual([]);
    await trace(app, [9, 1], { agent_id: 'agent/new' });
    expect(await listed(app)).toEqual([]);
    await trace(app, [1, 1], { agent_id: 'agent/new' });
    expect(await listed(app)).toMatchObject([{ agent_id: 'agent/new', rule: 'from_start', base: null, chance: null }]);
  });

  it('concern several agents where failures are spread', async () => {
    const app = await open();
    const agents = ['agent/a', 'agent/b', 'agent/c'];
    for (let n = 0; n < 60; n++) await traced(app, 'pay', { agent_id: agents[n % 3] });
    for (let n = 0; n < 9; n++) await traced(app, 'delete', { agent_id: agents[n % 3] });
    await caughtUp(app);
    await caughtUp(app);
    expect(await listed(app)).toMatchObject([{ agent_id: null, status: 'open', rule: 'excess' }]);
  });

  it('of several agents are opened again by one new failure', async () => {
    const app = await open();
    const agents = ['agent/a', 'agent/b', 'agent/c'];
    for (let n = 0; n < 105; n++) await traced(app, 'pay', { agent_id: agents[n % 3] });
    for (let n = 0; n < 9; n++) await traced(app, 'delete', { agent_id: agents[n % 3] });
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const [{ incident_id } = { incident_id: '' }] = await listed(app);
    await app.call('incidents.resolve', { incident_id });
    await trace(app, [1, 1], { agent_id: 'agent/a' });
    expect(await listed(app)).toMatchObject([
      { incident_id, agent_id: null, status: 'open', rule: 'again', window: { samples: 1, failures: 1 } },
    ]);
  });

  it('of several agents are not opened again by what one agent fails long after', async () => {
    const app = await open();
    const agents = ['agent/a', 'agent/b', 'agent/c'];
    for (let n = 0; n < 60; n++) await traced(app, 'pay', { agent_id: agents[n % 3] });
    for (let n = 0; n < 9; n++) await traced(app, 'delete', { agent_id: agents[n % 3] });
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const [{ incident_id } = { incident_id: '' }] = await listed(app);
    await app.call('incidents.resolve', { incident_id });
    for (let n = 0; n < 90; n++) await traced(app, 'pay', { agent_id: agents[n % 3] });
    await trace(app, [20, 1], { agent_id: 'agent/a' });
    expect(await listed(app, { status: 'open' })).toMatchObject([{ agent_id: 'agent/a' }]);
    expect(await listed(app, { status: 'resolved' })).toMatchObject([{ incident_id }]);
  });

  it('are acknowledged, grow, are muted and resolved, and are opened again by new failures', async () => {
    const app = await open();
    await trace(app, [60, 100]);
    await trace(app, [8, 1]);
    const [{ incident_id } = { incident_id: '' }] = await listed(app, { status: 'open' });
    await app.call('incidents.acknowledge', { incident_id, reason: 'on it' });
    await trace(app, [4, 1]);
    expect(await listed(app, { status: 'acknowledged' })).toMatchObject([{ incident_id }]);
    const passed = new Date(app.clock.now() - 1).toISOString();
    expect(await refusal(app.call('incidents.mute', { incident_id, until: passed }))).toMatchObject({
      ...{ code: 'invalid_input', errors: [{ path: 'until', message: 'is not in the future; null ends it now' }] },
    });
    const until = new Date(app.clock.now() + 3_600_000).toISOString();
    expect(await app.call('incidents.mute', { incident_id, until })).toMatchObject({
      status: 'muted',
      muted_until: until,
    });
    await trace(app, [20, 1]);
    expect(await listed(app, { status: 'muted' })).toHaveLength(1);
    expect(await listed(app, { status: 'acknowledged' })).toEqual([]);
    app.clock.advance(3_600_000);
    expect(await app.call('incidents.resolve', { incident_id })).toMatchObject({ status: 'resolved' });
    await trace(app, [5, 100]);
    expect(await listed(app, { status: 'resolved' })).toHaveLength(1);
    await trace(app, [2, 1]);
    const whole = await app.call('incidents.read', { incident_id });
    expect(whole).toMatchObject({ status: 'open', rule: 'again', window: { samples: 7, failures: 2 } });
    expect(whole.timeline.map(({ change }) => change)).toEqual([
      ...['reopened', 'resolved', 'muted', 'grown', 'acknowledged', 'opened'],
    ]);
    expect(whole.traces).toHaveLength(2);
    const { events } = await app.call('agents.timeline', {
      agent_id: 'agent/test',
      event_type: ['incident_opened'],
    } as never);
    expect(events).toMatchObject([{ summary: "system opened an incident of judge 'no-delete': 6 failures" }]);
  });

  it('are opened again only by more failures than the same version of the judge had before', async () => {
    const app = await open();
    await trace(app, [40, 100]);
    await trace(app, [12, 1]);
    const [{ incident_id } = { incident_id: '' }] = await listed(app);
    await app.call('incidents.resolve', { incident_id });
    const changed = await app.call('judges.update', { judge_id: 'no-delete', definition: NO_PAY });
    expect(changed).toMatchObject({ version: 2 });
    await trace(app, [9, 100]);
    expect(await listed(app)).toMatchObject([{ incident_id, status: 'resolved', source_version: 1, rule: 'excess' }]);
    await trace(app, [3, 100]);
    expect(await listed(app)).toMatchObject([
      {
        ...{ incident_id, status: 'open', source_version: 2, rule: 'from_start', base: null, chance: null },
        ...{ window: { samples: 10, failures: 10 }, since: { samples: 2, failures: 2 } },
        reason: '10 of 10 traces failed (100 %), with too few before to compare with.',
      },
    ]);
    const { timeline } = await app.call('incidents.read', { incident_id });
    expect(timeline.map(({ change }) => change)).toEqual(['reopened', 'resolved', 'opened']);
  });

  it('are the same where failures of two versions of a judge are looked at together', async () => {
    const app = await open();
    await app.call('judges.update', { judge_id: 'no-delete', status: 'draft' });
    const deleting = [await traced(app, 'delete'), await traced(app, 'delete')];
    const paying: string[] = [];
    for (let n = 0; n < 10; n++) paying.push(await traced(app, 'pay'));
    await caughtUp(app);
    // The first is handled at once; then the follower rests.
    for (const trace_id of deleting) await app.call('verdicts.judge', { trace_id, judge_id: 'no-delete' });
    await app.call('judges.update', { judge_id: 'no-delete', definition: NO_PAY });
    for (const trace_id of paying) await app.call('verdicts.judge', { trace_id, judge_id: 'no-delete' });
    await caughtUp(app);
    expect(await listed(app)).toMatchObject([{ source_version: 2, rule: 'from_start', window: { failures: 10 } }]);
  });

  it('are one group where the same traces fail by several judges, and not where others do', async () => {
    const app = await open();
    const forbid = (tool: string) => ({ kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool }] });
    await app.call('judges.create', { judge_id: 'nothing-deleted', definition: NO_DELETE });
    await app.call('judges.create', { judge_id: 'no-drop', definition: forbid('drop') });
    await app.call('alert_rules.create', { rule_id: 'opened', metric: 'incidents', above: 0, cooldown_minutes: 0 });
    await trace(app, [60, 100]);
    for (let n = 0; n < 20; n++) await traced(app, n % 2 === 0 ? 'delete' : 'drop');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const each = await listed(app, { each: true });
    expect(each.map(({ source_id }) => source_id).toSorted()).toEqual(['no-delete', 'no-drop', 'nothing-deleted']);
    const groups = await listed(app);
    expect(groups.map(({ source_id }) => source_id)).toEqual(['no-drop', 'no-delete']);
    const [apart, first] = groups;
    expect(apart).toMatchObject({ related: [], related_complete: true });
    expect(first?.related).toMatchObject([{ source_kind: 'judge', source_id: 'nothing-deleted', status: 'open' }]);
    expect(await listed(app, { group_id: first?.group_id })).toHaveLength(2);
    expect(await listed(app, { judge_id: 'nothing-deleted' })).toHaveLength(1);
    await caughtUp(app);
    expect(await app.call('alert_rules.read', { rule_id: 'opened' })).toMatchObject({ current: { value: 2 } });
    const whole = { incident_id: first?.incident_id as string, whole_group: true };
    expect(await app.call('incidents.acknowledge', whole)).toMatchObject({
      status: 'acknowledged',
      related: [{ source_id: 'nothing-deleted', status: 'acknowledged' }],
    });
    expect(await listed(app, { each: true, status: 'open' })).toMatchObject([{ source_id: 'no-drop' }]);
    const { timeline } = await app.call('incidents.read', { incident_id: first?.related[0]?.incident_id as string });
    expect(timeline.map(({ change }) => change)).toEqual(['acknowledged', 'opened']);
    await app.call('incidents.resolve', whole);
    await app.call('incidents.resolve', { incident_id: apart?.incident_id as string });
    expect(await listed(app, { each: true, status: 'resolved' })).toHaveLength(3);
    expect(await listed(app, { status: 'resolved' })).toHaveLength(2);
    await traced(app, 'delete');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const [again, ...others] = await listed(app, { status: 'open' });
    expect(again?.related).toMatchObject([{ source_id: 'nothing-deleted', status: 'open' }]);
    expect(again?.group_id).not.toBe(first?.group_id);
    expect(others).toEqual([]);
  });

  it('count overruled verdicts as people see them, and traces that are gone no longer', async () => {
    const app = await open();
    await trace(app, [12, 1]);
    const [{ incident_id, window } = { incident_id: '', window: { failures: 0 } }] = await listed(app);
    expect(window.failures).toBe(10);
    const { traces } = await app.call('incidents.read', { incident_id });
    const { trace_id } = traces.at(-1) as { trace_id: string };
    await app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result: 'pass' });
    expect(await app.call('incidents.read', { incident_id })).toMatchObject({ window: { samples: 10, failures: 9 } });
    await app.call('agents.erase', { agent_id: 'agent/test' } as never);
    expect(await listed(app)).toEqual([]);
  });

  it('are seen by those who see their traces', async () => {
    const app = await open();
    const as = { agent_id: 'agent/own' };
    const secret = { entity_path: 'own', key: 'note' };
    await app.call('entries.write', { ...secret, value: 1, shared: false }, as);
    const tool_calls = [{ tool_name: 'delete', arguments: {} }];
    for (let n = 0; n < 10; n++)
      await app.call('traces.create', { tool_calls, causal_entries: [{ ...secret, version: 1 }] }, as);
    await caughtUp(app);
    await caughtUp(app);
    expect(await listed(app)).toEqual([]);
    const [incident] = await listed(app, {}, { agent_id: 'agent/own' });
    expect(incident).toMatchObject({ agent_id: 'agent/own' });
    const { incident_id } = incident as { incident_id: string };
    expect(await refusal(app.call('incidents.read', { incident_id }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(app.call('incidents.resolve', { incident_id }))).toMatchObject({ code: 'not_found' });
  });
});
