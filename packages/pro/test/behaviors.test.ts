import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const behavior_id = 'pays-without-checking';
const matcher = [
  { check: 'tool_required' as const, tool: 'pay' },
  { check: 'tool_forbidden' as const, tool: 'check' },
];

const traced = async (
  app: TestApp,
  tools: string,
  { as = {}, ...more }: Record<string, unknown> & { as?: object } = {},
) => {
  const tool_calls = tools.split(' ').map((tool_name) => ({ tool_name, arguments: {} }));
  return (await app.call('traces.create', { tool_calls, ...more }, as)).trace_id;
};

const listed = async (app: TestApp, input: object = {}, as = {}) =>
  (await app.call('behaviors.list_traces', { behavior_id, ...input }, as)).traces.map(({ trace_id }) => trace_id);

describe.each(backends)('behaviors on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('are found in traces of the past and in new ones, each once', async () => {
    const app = await open();
    const before = await traced(app, 'pay');
    await traced(app, 'check pay');
    await caughtUp(app);
    const { backfill_id, version } = await app.call('behaviors.create', { behavior_id, matcher });
    expect(version).toBe(1);
    await caughtUp(app);
    expect(await listed(app)).toEqual([before]);
    expect(await app.call('backfills.read', { backfill_id: backfill_id as string })).toMatchObject({
      ...{ behavior_id, judge_id: null, status: 'done', progress: 1, traces: 2, verdicts: 2, failed: 1 },
    });
    const after = await traced(app, 'pay', { agent_id: 'agent/new' });
    await caughtUp(app);
    expect(await listed(app)).toEqual([after, before]);
    expect(await listed(app, { agent_id: 'agent/new' })).toEqual([after]);
    await app.call('backfills.create', { behavior_id });
    await caughtUp(app);
    expect(await listed(app)).toEqual([after, before]);
    const { events } = await app.call('agents.timeline', {
      ...{ agent_id: 'agent/new', event_type: ['traces_matched'] },
    } as never);
    expect(events).toMatchObject([{ summary: 'system found 1 behavior in traces' }]);
  });

  it('have a new version with another matcher, which is looked for in all traces again', async () => {
    const app = await open();
    const [plain, checked] = [await traced(app, 'pay'), await traced(app, 'check pay')];
    await app.call('behaviors.create', { behavior_id, matcher });
    await caughtUp(app);
    expect(await app.call('behaviors.update', { behavior_id, name: 'Hasty' })).toMatchObject({ version: 1 });
    const wider = [{ check: 'tool_required' as const, tool: 'pay' }];
    expect(await app.call('behaviors.update', { behavior_id, matcher: wider })).toMatchObject({ version: 2 });
    expect(await listed(app)).toEqual([]);
    await caughtUp(app);
    expect(await listed(app)).toEqual([checked, plain]);
    expect(await listed(app, { version: 1 })).toEqual([plain]);
    expect(await refusal(app.call('behaviors.update', { behavior_id, name: 'x', if_version: 1 }))).toMatchObject({
      code: 'version_conflict',
    });
    expect(await app.call('behaviors.delete', { behavior_id })).toMatchObject({ status: 'archived' });
    await traced(app, 'pay');
    await caughtUp(app);
    expect(await listed(app)).toEqual([checked, plain]);
    expect((await app.call('behaviors.list', {})).behaviors).toEqual([]);
    expect((await app.call('behaviors.list', { status: 'archived' })).behaviors).toHaveLength(1);
  });

  it('are 200 at most, without those that are archived', async () => {
    const app = await open();
    const matcher = [{ check: 'tool_required' as const, tool: 'pay' }];
    const create = (behavior_id: string) => app.call('behaviors.create', { behavior_id, matcher, backfill: false });
    for (let n = 0; n < 200; n++) await create(`b-${n}`);
    expect(await refusal(create('one-more'))).toMatchObject({ code: 'conflict' });
    await app.call('behaviors.delete', { behavior_id: 'b-0' });
    expect(await create('one-more')).toMatchObject({ status: 'active' });
    const back = { behavior_id: 'b-0', status: 'active' as const };
    expect(await refusal(app.call('behaviors.update', back))).toMatchObject({ code: 'conflict' });
    await app.call('behaviors.delete', { behavior_id: 'one-more' });
    expect(await app.call('behaviors.update', back)).toMatchObject({ status: 'active' });
  });

  it('are refused where their checks cannot be', async () => {
    const app = await open();
    const broken = [{ check: 'pattern' as const, pattern: '(' }];
    expect(await refusal(app.call('behaviors.create', { behavior_id, matcher: broken }))).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'matcher.0.pattern' }],
    });
    await app.call('behaviors.create', { behavior_id, matcher });
    expect(await refusal(app.call('behaviors.create', { behavior_id, matcher }))).toMatchObject({ code: 'conflict' });
    const both = { behavior_id, judge_id: 'some' };
    expect(await refusal(app.call('backfills.create', both))).toMatchObject({ code: 'invalid_input' });
  });

  it('reach so far: sessions, agents, paths, outcomes, cost, since when, and growing or not', async () => {
    const app = await open();
    await app.call('behaviors.create', { behavior_id, matcher });
    const fact = { entity_path: 'shop/payments', key: 'limit' };
    await app.call('entries.write', { ...fact, value: 10 });
    const run = async (no: number, isHasty: boolean) => {
      const as = { agent_id: `agent/${no % 2}`, session_id: `run-${no}` };
      if (isHasty) await app.call('entries.read', fact, as);
      app.clock.advance(60_000);
      await app.call(
        'outcomes.commit',
        {
          ...{ outcome_ref: `run-${no}`, outcome_type: isHasty && no % 3 === 0 ? 'failure' : 'success' },
          tool_calls: [...(isHasty ? [] : ['check']), 'pay'].map((tool_name) => ({ tool_name, arguments: {} })),
          llm_calls: [
            { model: 'small', input_tokens: 10, output_tokens: 1, cost_usd: 0.25 },
            // Nobody knows what it cost.
            ...(no === 10 ? [{ model: 'has no price', input_tokens: 10, output_tokens: 1 }] : []),
          ],
        } as never,
        as,
      );
    };
    for (let no = 0; no < 24; no++) await run(no, no === 10);
    for (let no = 24; no < 48; no++) await run(no, no % 3 !== 1);
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const radius = await app.call('behaviors.blast_radius', { behavior_id });
    expect(radius).toMatchObject({
      ...{ behavior_id, version: 1, matched: 17, sessions: 17, agent_count: 2, path_count: 1, complete: true },
      ...{ traces: { count: 17, of: 48 }, looked_at: 48, paths: [{ entity_path: 'shop/payments', traces: 17 }] },
      outcomes: [
        { outcome_type: 'success', traces: 9 },
        { outcome_type: 'failure', traces: 8 },
      ],
      fails: { without_it: { count: 0, of: 31 }, with_it: { count: 8, of: 17 } },
      cost: { total_usd: 4.25, known: 16, average_usd: 0.25 },
      growth: { trend: 'growing', earlier: { count: 1, of: 24 }, later: { count: 16, of: 24 } },
    });
    expect(radius.growth.low).toBeGreaterThan(0.3);
    expect(Date.parse(radius.last_at as string)).toBeGreaterThan(Date.parse(radius.first_at as string));
    const { suspects } = await app.call('failures.attribute', { behavior_id });
    expect(suspects).toMatchObject([{ ...fact, with_it: { count: 17, of: 17 } }]);
    const { segments } = await app.call('segments.list', { behavior_id, by: ['path'] });
    expect(segments[0]).toMatchObject({ value: 'shop/payments', differs: 'worse' });
    const ofAgent = await app.call('behaviors.blast_radius', { behavior_id, agent_id: 'agent/1' });
    expect(ofAgent).toMatchObject({ agent_count: 1, matched: 8 });
  });

  it('reach as many sessions as traces where these name none', async () => {
    const app = await open();
    await app.call('behaviors.create', { behavior_id, matcher });
    for (let n = 0; n < 5; n++) await traced(app, 'pay', { agent_id: `agent/${n % 2}` });
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const radius = await app.call('behaviors.blast_radius', { behavior_id });
    expect(radius).toMatchObject({ matched: 5, sessions: 5, agent_count: 2 });
  });

  it('open incidents where they are found more often than before', async () => {
    const app = await open();
    await app.call('behaviors.create', { behavior_id, matcher });
    for (let n = 0; n < 60; n++) await traced(app, n % 30 === 0 ? 'pay' : 'check pay');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    expect((await app.call('incidents.list', {})).incidents).toEqual([]);
    for (let n = 0; n < 10; n++) await traced(app, 'pay');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const { incidents } = await app.call('incidents.list', { behavior_id });
    expect(incidents).toMatchObject([
      {
        ...{ source_kind: 'behavior', source_id: behavior_id, source_version: 1, agent_id: 'agent/test' },
        ...{ status: 'open', rule: 'excess', window: { samples: 20 } },
      },
    ]);
    const { traces } = await app.call('incidents.read', { incident_id: incidents[0]?.incident_id as string });
    expect(traces.length).toBeGreaterThanOrEqual(10);
    expect((await app.call('incidents.list', { judge_id: behavior_id })).incidents).toEqual([]);
  });

  it('that most traces have open no incident, and one that becomes frequent says who has it', async () => {
    const app = await open();
    await app.call('behaviors.create', {
      behavior_id: 'plans-first',
      matcher: [{ check: 'tool_required', tool: 'plan' }],
    });
    await app.call('behaviors.create', { behavior_id, matcher });
    for (let n = 0; n < 60; n++) await traced(app, n % 30 === 0 ? 'plan pay' : 'plan check pay');
    for (let n = 0; n < 10; n++) await traced(app, 'plan pay');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    const { incidents } = await app.call('incidents.list', {});
    expect(incidents).toMatchObject([{ source_id: behavior_id, rule: 'excess' }]);
    expect(incidents[0]?.reason).toMatch(/^\d+ of 20 traces have it \(\d+ %\), where \d of \d+ traces had it before/);
    const { events } = await app.call('agents.timeline', {
      agent_id: 'agent/test',
      event_type: ['incident_opened'],
    } as never);
    expect(events[0]?.summary).toMatch(/^system opened an incident of behavior 'pays-without-checking': \d+ traces$/);
  });

  it('open no incident where they are said not to', async () => {
    const app = await open();
    expect(await app.call('behaviors.create', { behavior_id, matcher, opens_incidents: false })).toMatchObject({
      opens_incidents: false,
    });
    for (let n = 0; n < 60; n++) await traced(app, 'check pay');
    for (let n = 0; n < 10; n++) await traced(app, 'pay');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    expect((await app.call('incidents.list', {})).incidents).toEqual([]);
    expect(await app.call('behaviors.update', { behavior_id, opens_incidents: true })).toMatchObject({
      ...{ opens_incidents: true, version: 1 },
    });
    await traced(app, 'pay');
    for (let i = 0; i < 2; i++) await caughtUp(app);
    expect((await app.call('incidents.list', {})).incidents).toMatchObject([{ source_id: behavior_id }]);
  });

  it('are found in an example, with what each feature rests on', async () => {
    const app = await open();
    for (let n = 0; n < 50; n++) await traced(app, 'plan check pay', { attributes: { release: '1', shard: n % 4 } });
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) {
      const attributes = { release: n % 2 === 0 ? '2' : '1', shard: n % 4 };
      ids.push(await traced(app, n % 2 === 0 ? 'plan pay' : 'plan check pay', { attributes }));
    }
    await caughtUp(app);
    const found = await app.call('behaviors.create_from_trace', { behavior_id, trace_id: ids[8] as string });
    expect(found).toMatchObject({
      ...{ reason: 'new', neighbours: 15, looked_at: 80, complete: true },
      behavior: {
        ...{ behavior_id, version: 1, trace_id: ids[8], status: 'active' },
        matcher: [{ check: 'tool_forbidden', tool: 'check' }],
      },
    });
    expect(found.chance).toBeLessThan(0.01);
    expect(found.features.slice(0, 2)).toMatchObject([
      {
        ...{ feature: 'does not call check', kind: 'tool', used: true },
        ...{ neighbours: { count: 15, of: 15 }, elsewhere: { count: 0, of: 65 } },
      },
      { feature: 'has the attribute release: 2', used: false, neighbours: { count: 15 }, elsewhere: { count: 0 } },
    ]);
    expect(found.trace_ids).toHaveLength(10);
    await caughtUp(app);
    expect((await listed(app)).toSorted()).toEqual(ids.filter((_, n) => n % 2 === 0).toSorted());
    const other = { behavior_id: 'like-a-private-one' };
    const secret = { entity_path: 'own', key: 'note' };
    const as = { agent_id: 'agent/own' };
    await app.call('entries.write', { ...secret, value: 1, shared: false }, as);
    const own = await traced(app, 'pay', { causal_entries: [{ ...secret, version: 1 }], as });
    expect(await refusal(app.call('behaviors.create_from_trace', { ...other, trace_id: own }, as))).toMatchObject({
      code: 'invalid_input',
    });
    expect(await refusal(app.call('behaviors.create_from_trace', { ...other, trace_id: own }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('are not made of what all traces have, nor of how one ended', async () => {
    const app = await open();
    const failed = { as: { session_id: 'failed' }, outcome_ref: 'run', outcome_type: 'failure' };
    const trace_id = await traced(app, 'plan pay', failed);
    const from = (input: object = {}) => app.call('behaviors.create_from_trace', { behavior_id, trace_id, ...input });
    const single = await refusal(from());
    expect(single).toMatchObject({ code: 'invalid_input', errors: [{ path: 'trace_id' }] });
    expect(single.errors?.[0]?.message).toContain('no other trace');
    await traced(app, 'plan pay');
    expect((await refusal(from())).errors?.[0]?.message).toContain('the 1 trace around it has all that it has');
    await traced(app, 'plan');
    const { behavior, reason, features } = await from();
    expect([reason, behavior.matcher]).toEqual([
      'itself',
      [{ check: 'tool_required', tool: 'pay', min: 1, succeeded: false }, expect.objectContaining({ check: 'all_of' })],
    ]);
    expect(features.map(({ feature }) => feature)).not.toContain('has the attribute outcome_type: failure');
  });

  it('go with their traces, and are seen by those who see these', async () => {
    const app = await open();
    await app.call('behaviors.create', { behavior_id, matcher });
    const as = { agent_id: 'agent/own' };
    const secret = { entity_path: 'own', key: 'note' };
    await app.call('entries.write', { ...secret, value: 1, shared: false }, as);
    const own = await traced(app, 'pay', { causal_entries: [{ ...secret, version: 1 }], as });
    const seen = await traced(app, 'pay', { agent_id: 'agent/other' });
    await caughtUp(app);
    expect(await listed(app)).toEqual([seen]);
    expect(await listed(app, {}, as)).toEqual([seen, own]);
    expect(await app.call('behaviors.blast_radius', { behavior_id })).toMatchObject({ matched: 1, looked_at: 1 });
    expect(await app.call('behaviors.blast_radius', { behavior_id }, as)).toMatchObject({ matched: 2, looked_at: 2 });
    await app.call('agents.erase', { agent_id: 'agent/other' } as never);
    expect(await listed(app)).toEqual([]);
  });
});
