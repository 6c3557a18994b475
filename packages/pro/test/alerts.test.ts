import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const NO_DELETE = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };
const MINUTE = 60_000;

const traced = (app: TestApp, tool_name: string, more: object = {}) =>
  app.call('traces.create', { tool_calls: [{ tool_name, arguments: {} }], ...more });

/** The index of traces, verdicts, incidents and alerts follow each other. */
async function everythingCaughtUp(app: TestApp): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await caughtUp(app);
    app.clock.advance(4_000);
  }
}

const raised = async (app: TestApp, input: object = {}) => (await app.call('alerts.list', input)).alerts;

describe.each(backends)('alerts on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('are raised where a judge fails more than is allowed, once in a cooldown, and can be acknowledged', async () => {
    const app = await open();
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    const rule = { rule_id: 'failing', metric: 'failure_rate', judge_id: 'no-delete', above: 0.2, min_samples: 5 };
    expect(await app.call('alert_rules.create', rule as never)).toMatchObject({
      ...{ ...rule, name: 'failing', window_minutes: 60, cooldown_minutes: 60, for_agent: null, muted_until: null },
    });
    for (let i = 0; i < 4; i++) await traced(app, 'delete');
    await everythingCaughtUp(app);
    expect(await raised(app)).toEqual([]);
    await traced(app, 'delete');
    await everythingCaughtUp(app);
    const [alert] = await raised(app);
    expect(alert).toMatchObject({
      ...{ rule_id: 'failing', metric: 'failure_rate', judge_id: 'no-delete', value: 1, samples: 5, above: 0.2 },
      ...{ status: 'raised', complete: true, acknowledged_by: null, comment: '' },
      reason: 'Judge no-delete failed 100 % of 5 traces; at most 20 % is allowed.',
    });
    await traced(app, 'delete');
    await everythingCaughtUp(app);
    expect(await raised(app)).toHaveLength(1);
    app.clock.advance(61 * MINUTE);
    for (let i = 0; i < 5; i++) await traced(app, 'delete');
    await everythingCaughtUp(app);
    expect(await raised(app)).toHaveLength(2);
    const { alert_id } = alert as NonNullable<typeof alert>;
    const acknowledged = await app.call('alerts.acknowledge', { alert_id, comment: 'the tool is down' });
    expect(acknowledged).toMatchObject({ status: 'acknowledged', acknowledged_by: 'agent/test' });
    expect(await app.call('alerts.acknowledge', { alert_id })).toEqual(acknowledged);
    expect(await raised(app, { status: 'acknowledged' })).toMatchObject([{ alert_id, comment: 'the tool is down' }]);
    expect(await raised(app, { status: 'raised' })).toHaveLength(1);
    const { events } = await app.call('agents.timeline', { agent_id: 'system', event_type: ['alert_raised'] } as never);
    expect(events).toMatchObject(Array(2).fill({ summary: "Raised an alert of rule 'failing'" }));
  });

  it('count cost and time of traces in the window, of all agents or of one', async () => {
    const app = await open();
    await app.call('alert_rules.create', { rule_id: 'dear', metric: 'cost_usd', above: 1 });
    await app.call('alert_rules.create', { rule_id: 'dear-b', metric: 'cost_usd', above: 1, for_agent: 'agent/b' });
    await app.call('alert_rules.create', { rule_id: 'slow', metric: 'duration_ms', above: 500, min_samples: 2 });
    const call = { model: 'm', input_tokens: 1, output_tokens: 1, cost_usd: 0.6, latency_ms: 700 };
    await traced(app, 'pay', { llm_calls: [call] });
    await everythingCaughtUp(app);
    expect(await raised(app)).toEqual([]);
    expect(await app.call('alert_rules.read', { rule_id: 'dear' })).toMatchObject({
      current: { value: 0.6, samples: 1, complete: true, reason: '1 trace cost 0.6 USD; at most 1 USD is allowed.' },
    });
    app.clock.advance(61 * MINUTE);
    await traced(app, 'pay', { llm_calls: [call], agent_id: 'agent/b' });
    await everythingCaughtUp(app);
    expect(await raised(app, { rule_id: 'dear' })).toEqual([]);
    await traced(app, 'pay', { llm_calls: [call] });
    await everythingCaughtUp(app);
    expect(await raised(app, { rule_id: 'dear' })).toMatchObject([{ value: 1.2, samples: 2 }]);
    expect(await raised(app, { rule_id: 'dear-b' })).toEqual([]);
    await traced(app, 'pay', { llm_calls: [call], agent_id: 'agent/b' });
    await everythingCaughtUp(app);
    expect(await raised(app, { for_agent: 'agent/b' })).toMatchObject([{ rule_id: 'dear-b', samples: 2 }]);
  });

  it('count what is known of the cost of a trace in which not every call has a price', async () => {
    const app = await open();
    await app.call('alert_rules.create', { rule_id: 'dear', metric: 'cost_usd', above: 1 });
    const call = { input_tokens: 1, output_tokens: 1 };
    await traced(app, 'pay', {
      llm_calls: [
        { ...call, model: 'm', cost_usd: 0.1 },
        { ...call, model: 'm', cost_usd: 1.2 },
        { ...call, model: 'has no price' },
      ],
    });
    await traced(app, 'pay', { llm_calls: [{ ...call, model: 'has no price' }] });
    await everythingCaughtUp(app);
    expect(await raised(app)).toMatchObject([{ rule_id: 'dear', value: 1.3, samples: 1 }]);
  });

  it('are raised by a rule that is set, or changed, when there is already more than it allows', async () => {
    const app = await open();
    const call = { model: 'm', input_tokens: 1, output_tokens: 1, cost_usd: 5 };
    await traced(app, 'pay', { llm_calls: [call] });
    await app.call('alert_rules.create', { rule_id: 'dear', metric: 'cost_usd', above: 1 });
    await app.call('alert_rules.create', { rule_id: 'dearer', metric: 'cost_usd', above: 10 });
    await everythingCaughtUp(app);
    expect(await raised(app)).toMatchObject([{ rule_id: 'dear', value: 5 }]);
    await app.call('alert_rules.update', { rule_id: 'dearer', above: 2 });
    await everythingCaughtUp(app);
    expect((await raised(app)).map(({ rule_id }) => rule_id)).toEqual(['dearer', 'dear']);
  });

  it('leave out what not every agent may see', async () => {
    const app = await open();
    await app.call('branches.create', { name: 'draft' });
    await app.call('entries.write', { entity_path: 'own', key: 'x', value: 1, shared: false });
    await app.call('alert_rules.create', { rule_id: 'dear', metric: 'cost_usd', above: 0 });
    const call = { model: 'm', input_tokens: 1, output_tokens: 1, cost_usd: 5 };
    await traced(app, 'pay', { llm_calls: [call], branch: 'draft' });
    await traced(app, 'pay', { llm_calls: [call], causal_entries: [{ entity_path: 'own', key: 'x', version: 1 }] });
    await everythingCaughtUp(app);
    expect(await raised(app)).toEqual([]);
    expect((await app.call('alert_rules.read', { rule_id: 'dear' })).current.value).toBeNull();
  });

  it('count incidents and the error of calibration', async () => {
    const app = await open();
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    await app.call('alert_rules.create', { rule_id: 'opened', metric: 'incidents', above: 0 });
    await app.call('alert_rules.create', {
      ...{ rule_id: 'off', metric: 'calibration_error', above: 0.3, min_samples: 3 },
    });
    for (let i = 0; i < 10; i++) await traced(app, 'delete');
    await everythingCaughtUp(app);
    await everythingCaughtUp(app);
    expect(await raised(app, { rule_id: 'opened' })).toMatchObject([
      { value: 1, reason: '1 incident opened; none are allowed.' },
    ]);
    await app.call('entries.write', { entity_path: 'a', key: 'sure', value: 1, confidence: 0.95 });
    for (let i = 0; i < 3; i++) {
      await app.call('entries.read', { entity_path: 'a', key: 'sure' }, { session_id: `s${i}` });
      await app.call('outcomes.commit', { outcome_ref: `r${i}`, outcome_type: 'critical_failure' } as never, {
        session_id: `s${i}`,
      });
    }
    await everythingCaughtUp(app);
    const [alert] = await raised(app, { rule_id: 'off' });
    expect(alert?.value).toBeGreaterThan(0.3);
  });

  it('are raised by no rule that is muted, changed in time, or gone', async () => {
    const app = await open();
    await app.call('alert_rules.create', { rule_id: 'dear', metric: 'cost_usd', above: 0, cooldown_minutes: 0 });
    const until = new Date(app.clock.now() + 30 * MINUTE).toISOString();
    expect(await app.call('alert_rules.mute', { rule_id: 'dear', until })).toMatchObject({ muted_until: until });
    const passed = new Date(app.clock.now()).toISOString();
    expect(await refusal(app.call('alert_rules.mute', { rule_id: 'dear', until: passed }))).toMatchObject({
      ...{ code: 'invalid_input', errors: [{ path: 'until' }] },
    });
    const call = { model: 'm', input_tokens: 1, output_tokens: 1, cost_usd: 5 };
    const pay = async () => {
      await traced(app, 'pay', { llm_calls: [call] });
      await everythingCaughtUp(app);
      return (await raised(app)).length;
    };
    expect(await pay()).toBe(0);
    await app.call('alert_rules.mute', { rule_id: 'dear', until: null });
    expect(await pay()).toBe(1);
    await app.call('alert_rules.update', { rule_id: 'dear', above: 1000 });
    expect(await pay()).toBe(1);
    await app.call('alert_rules.update', { rule_id: 'dear', above: 0 });
    expect(await app.call('alert_rules.delete', { rule_id: 'dear' })).toEqual({ rule_id: 'dear', deleted: true });
    expect(await pay()).toBe(1);
    expect((await app.call('alert_rules.list', {})).rules).toEqual([]);
  });

  it('refuse rules that can never raise one, and more than an account may have', async () => {
    const app = await open();
    const create = (input: object) =>
      refusal(app.call('alert_rules.create', { rule_id: 'x', above: 1, ...input } as never));
    expect(await create({ metric: 'failure_rate' })).toMatchObject({ code: 'invalid_input' });
    expect(await create({ metric: 'calibration_error' })).toMatchObject({ code: 'invalid_input' });
    expect(await create({ metric: 'failure_rate', above: 0.1 })).toMatchObject({ code: 'invalid_input' });
    expect(await create({ metric: 'cost_usd', judge_id: 'x' })).toMatchObject({ code: 'invalid_input' });
    expect(await create({ metric: 'failure_rate', above: 0.1, judge_id: 'x' })).toMatchObject({ code: 'not_found' });
    for (let i = 0; i < 50; i++)
      await app.call('alert_rules.create', { rule_id: `rule-${i}`, metric: 'cost_usd', above: i });
    expect(await create({ metric: 'cost_usd' })).toMatchObject({ code: 'conflict' });
    expect(await create({ metric: 'cost_usd', rule_id: 'rule-1' })).toMatchObject({ code: 'conflict' });
    expect(await refusal(app.call('alert_rules.update', { rule_id: 'none' }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(app.call('alerts.acknowledge', { alert_id: 'none' }))).toMatchObject({ code: 'not_found' });
  });
});
