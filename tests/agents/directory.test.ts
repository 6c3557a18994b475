import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow, iso } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { write, X, Y } from './support.ts';

describe.each(backends)('the list of agents on %s', (backend) => {
  let app: TestApp;
  let start: string;
  beforeAll(async () => {
    app = await openTestApp(backend);
    start = iso(app.clock.now());
    await write(app, { entity_path: 'svc', key: 'a' }, X);
    await write(app, { entity_path: 'svc', key: 'b' }, X);
    await write(app, { entity_path: 'svc', key: 'b', value: 'now of y' }, Y);
    await app.call('entries.write', { entity_path: 'svc', key: 'secret', value: 1, shared: false }, X);
    const hidden = { agent_id: 'agent/hidden' };
    await app.call('entries.write', { entity_path: 'svc', key: 'hush', value: 1, shared: false }, hidden);
    await app.call('agents.set_profile', { agent_id: 'planned', description: 'comes soon', tags: ['new'] }, X);
    await app.call('agents.set_profile', { ...Y, platform: 'kubernetes' }, Y);
    app.clock.advance(60_000);
    await write(app, { entity_path: 'svc', key: 'gone' }, { agent_id: '鍵/agent' });
    await app.call('entries.delete', { entity_path: 'svc', key: 'gone' }, { agent_id: '鍵/agent' });
  });
  afterAll(() => app.close());
  const list = (as: object, input: object = {}) => app.call('agents.list', input, as);

  it('has everyone who did something or was described, by id, with numbers', async () => {
    const now = iso(app.clock.now());
    const undescribed = { description: null, platform: null, tags: [] };
    expect(await list(Y)).toEqual({
      agents: [
        { agent_id: 'agent/x', entries_written: 1, last_active: start, created_at: start, ...undescribed },
        {
          agent_id: 'agent/y',
          entries_written: 1,
          last_active: start,
          created_at: start,
          ...undescribed,
          platform: 'kubernetes',
        },
        {
          agent_id: 'planned',
          entries_written: 0,
          last_active: null,
          created_at: start,
          description: 'comes soon',
          platform: null,
          tags: ['new'],
        },
        { agent_id: '鍵/agent', entries_written: 0, last_active: now, created_at: now, ...undescribed },
      ],
      next_cursor: null,
      has_more: false,
    });
  });

  it('counts what is not shared for its author alone', async () => {
    const written = async (as: { agent_id: string }) =>
      (await list(as)).agents.find(({ agent_id }) => agent_id === as.agent_id)?.entries_written;
    expect(await written(X)).toBe(2);
    expect(await written({ agent_id: 'agent/hidden' })).toBe(1);
  });

  it('pages to the end with everyone once', async () => {
    const pages = await follow((cursor) => list(X, { limit: 1, ...(cursor ? { cursor } : {}) }));
    const ids = pages.map(({ agents }) => agents.map(({ agent_id }) => agent_id));
    expect(ids).toEqual([['agent/x'], ['agent/y'], ['planned'], ['鍵/agent']]);
  });

  it('keeps its place while agents come', async () => {
    const first = await list(X, { limit: 2 });
    await write(app, { entity_path: 'svc', key: 'late' }, { agent_id: 'agent/late' });
    const second = await list(X, { limit: 2, cursor: first.next_cursor });
    expect(second.agents.map(({ agent_id }) => agent_id)).toEqual(['planned', '鍵/agent']);
  });
});

describe.each(backends)('the profile of an agent on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());
  const profile = (agent_id: string, as: object = X) => app.call('agents.profile', { agent_id }, as);
  const empty = {
    description: null,
    platform: null,
    default_branch: null,
    auto_context_paths: [],
    tags: [],
    session_metadata: {},
    capabilities: [],
    contracts: [],
    entries_written: 0,
    entities_touched: 0,
    entities_truncated: false,
    created_at: null,
    last_active: null,
    updated_at: null,
  };

  it('is empty for an unknown agent', async () => {
    expect(await profile('agent/nobody')).toEqual({ agent_id: 'agent/nobody', ...empty });
  });

  it('has what was declared, each part replaced as a whole and by itself', async () => {
    const at = iso(app.clock.now());
    const capability = { name: 'retries', description: 'knows', entity_paths: ['svc/**'] };
    const contract = { entity_path: 'svc/**', ttl_required: true };
    const described = {
      description: 'does things',
      platform: 'laptop',
      default_branch: 'main',
      auto_context_paths: ['svc/**', 'team/a'],
      tags: ['a', 'b'],
      session_metadata: { model: 'm', nested: { list: [1, null] } },
    };
    await app.call('agents.set_capabilities', { ...X, capabilities: [capability] }, X);
    await app.call('agents.set_contracts', { ...X, contracts: [contract] }, X);
    expect(await app.call('agents.set_profile', { ...X, ...described }, X)).toEqual({
      ...X,
      ...described,
      updated_at: at,
    });
    const whole = {
      ...contract,
      key_pattern: '*',
      min_confidence: null,
      max_confidence: null,
      required_fields: [],
      description: '',
    };
    const times = { created_at: at, last_active: at, updated_at: at };
    expect(await profile('agent/x', Y)).toEqual({
      ...X,
      ...empty,
      ...described,
      capabilities: [capability],
      contracts: [whole],
      ...times,
    });
    await app.call('agents.set_profile', { ...X, tags: ['c'] }, X);
    await app.call('agents.set_contracts', { ...X, contracts: [] }, X);
    expect(await profile('agent/x')).toEqual({ ...X, ...empty, tags: ['c'], capabilities: [capability], ...times });
  });

  it('can be read and sent back as it is', async () => {
    const { description, platform, default_branch, auto_context_paths, tags, session_metadata } =
      await profile('agent/x');
    const same = { description, platform, default_branch, auto_context_paths, tags, session_metadata };
    expect(await app.call('agents.set_profile', { ...X, ...same } as never, X)).toMatchObject(same);
  });

  it('counts entries and the paths they are at, without those the caller may not see', async () => {
    const as = { agent_id: 'agent/counted' };
    for (const [path, key] of ['svc/a k', 'svc/a l', 'svc/b k'].map((name) => name.split(' ')))
      await write(app, { entity_path: path as string, key: key as string }, as);
    await app.call('entries.write', { entity_path: 'svc/c', key: 'k', value: 1, shared: false }, as);
    expect(await profile('agent/counted', as)).toMatchObject({ entries_written: 4, entities_touched: 3 });
    expect(await profile('agent/counted', Y)).toMatchObject({ entries_written: 3, entities_touched: 2 });
  });

  it('does not show an agent whose entries are all private', async () => {
    const as = { agent_id: 'agent/secretive' };
    await app.call('entries.write', { entity_path: 'svc/s', key: 'k', value: 1, shared: false }, as);
    expect(await profile('agent/secretive', Y)).toEqual({ ...as, ...empty });
  });

  it('may be set by any agent; the timeline shows which', async () => {
    await app.call('agents.set_profile', { agent_id: 'agent/run', description: 'd' }, Y);
    await app.call('agents.set_capabilities', { agent_id: 'agent/run', capabilities: [] }, { agent_id: 'agent/run' });
    const { events } = await app.call('agents.timeline', { agent_id: 'agent/run' }, X);
    expect(events.map(({ summary, actor_agent_id }) => [summary, actor_agent_id])).toEqual([
      ['Updated the capabilities of agent/run', null],
      ['agent/y updated the profile of agent/run', 'agent/y'],
    ]);
  });

  it.each([
    ['description', 'x'.repeat(2001)],
    ['tags', Array.from({ length: 51 }, (_, i) => `t${i}`)],
    ['tags.0', ['']],
    ['tags.0', ['a\nb']],
    ['platform', 'x'.repeat(129)],
    ['auto_context_paths.0', ['a*']],
    ['auto_context_paths', Array.from({ length: 51 }, (_, i) => `p${i}`)],
    ['session_metadata', [1]],
    ['session_metadata', { long: 'x'.repeat(16_400) }],
    ['default_branch', ''],
  ])('refuses a %s that does not fit', async (path, value) => {
    const field = path.split('.')[0] as string;
    const set = app.call('agents.set_profile', { ...X, [field]: value } as never, X);
    await expect(set).rejects.toMatchObject({ code: 'invalid_input', detail: { errors: [{ path }] } });
  });

  it.each([
    ['capabilities', Array.from({ length: 51 }, (_, i) => ({ name: `c${i}` }))],
    ['capabilities', [{ name: 'twice' }, { name: 'twice' }]],
    ['capabilities.0.entity_paths.0', [{ name: 'c', entity_paths: ['a//b'] }]],
  ])('refuses capabilities that do not fit: %s', async (path, capabilities) => {
    const set = app.call('agents.set_capabilities', { ...X, capabilities }, X);
    await expect(set).rejects.toMatchObject({ code: 'invalid_input', detail: { errors: [{ path }] } });
  });
});

describe.each(backends)('finding an agent on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    const declare = (agent_id: string, capabilities: object[], tags: string[] = []) =>
      Promise.all([
        app.call('agents.set_capabilities', { agent_id, capabilities: capabilities as never }, X),
        app.call('agents.set_profile', { agent_id, tags }, X),
      ]);
    await declare('payer', [{ name: 'Payment retries', entity_paths: ['checkout/**'] }], ['prod']);
    await declare('reviewer', [{ name: 'code-review', description: 'also of payment code' }]);
    await declare('elsewhere', [{ name: 'payment retries', entity_paths: ['billing/*'] }], ['prod']);
    for (const key of ['a', 'b', 'c'])
      await write(app, { entity_path: 'checkout/payments', key }, { agent_id: 'writer' });
    await write(app, { entity_path: 'checkout/payments/deep', key: 'd' }, { agent_id: 'payer' });
    await write(app, { entity_path: 'checkout-other', key: 'e' }, { agent_id: 'stranger' });
    await app.call('entries.write', { entity_path: 'checkout/payments', key: 's', value: 1, shared: false }, Y);
  });
  afterAll(() => app.close());
  const find = async (input: object, as: object = X) =>
    (await app.call('agents.discover', input, as)).agents.map(({ agent_id, why }) => [agent_id, ...why]);

  it('goes by the words of a capability, best first', async () => {
    expect(await find({ capability: 'payment retries' })).toEqual([
      ['elsewhere', 'declares payment retries for billing/*'],
      ['payer', 'declares Payment retries for checkout/**'],
    ]);
    expect(await find({ capability: 'PAY' })).toEqual([
      ['elsewhere', 'declares payment retries for billing/*'],
      ['payer', 'declares Payment retries for checkout/**'],
      ['reviewer', 'declares code-review'],
    ]);
    expect(await find({ capability: 'cooking' })).toEqual([]);
  });

  it('goes by a path: who declares it, and who wrote there', async () => {
    expect(await find({ entity_path: 'checkout/payments' })).toEqual([
      ['payer', 'declares Payment retries for checkout/**', 'wrote 1 of 4 entries at checkout/payments and below'],
      ['writer', 'wrote 3 of 4 entries at checkout/payments and below'],
      ['reviewer', 'declares code-review'],
    ]);
  });

  it('goes by a tag, alone or together with the rest', async () => {
    expect(await find({ tag: 'prod' })).toEqual([
      ['elsewhere', 'declares payment retries for billing/*', 'is tagged prod'],
      ['payer', 'declares Payment retries for checkout/**', 'is tagged prod'],
    ]);
    expect((await find({ tag: 'prod', entity_path: 'checkout/payments' })).map(([id]) => id)).toEqual(['payer']);
  });

  it('without a wish lists all that declare something, up to the limit', async () => {
    expect((await find({})).map(([id]) => id)).toEqual(['elsewhere', 'payer', 'reviewer']);
    expect(await find({ limit: 1 })).toHaveLength(1);
  });

  it('counts what is not shared for its author alone', async () => {
    const asY = await find({ entity_path: 'checkout/payments' }, Y);
    expect(asY.find(([id]) => id === 'agent/y')).toEqual([
      'agent/y',
      'wrote 1 of 5 entries at checkout/payments and below',
    ]);
  });

  it('says when there are more profiles than it looks at', async () => {
    const few = await openTestApp(backend, { maxScannedEntries: 2 });
    for (const agent_id of ['a', 'b', 'c'])
      await few.call('agents.set_capabilities', { agent_id, capabilities: [{ name: 'cooking' }] });
    const found = async () => few.call('agents.discover', { capability: 'cooking' });
    expect(await found()).toMatchObject({ truncated: true, agents: [{ agent_id: 'a' }, { agent_id: 'b' }] });
    await few.call('agents.set_capabilities', { agent_id: 'c', capabilities: [] });
    expect(await found()).toMatchObject({ truncated: false });
    await few.close();
  });

  it('looks at all profiles, however many come at once', async () => {
    const many = await openTestApp(backend);
    const ids = Array.from({ length: 401 }, (_, i) => `agent/${String(i).padStart(3, '0')}`);
    await Promise.all(
      ids.map((agent_id, i) =>
        many.call('agents.set_profile', { agent_id, tags: [i % 100 === 0 ? 'wanted' : 'other'] }),
      ),
    );
    const { agents } = await many.call('agents.discover', { tag: 'wanted' });
    expect(agents.map(({ agent_id }) => agent_id)).toEqual([0, 100, 200, 300, 400].map((i) => ids[i]));
    await many.close();
  });

  it('returns the score and what matched', async () => {
    const input = { capability: 'payment retries', entity_path: 'checkout/payments' };
    const { agents, truncated } = await app.call('agents.discover', input, X);
    expect(truncated).toBe(false);
    expect(agents[0]).toEqual({
      agent_id: 'payer',
      score: 1.05,
      why: expect.any(Array),
      capabilities: ['Payment retries'],
      entries_here: 1,
      description: null,
      platform: null,
      tags: ['prod'],
    });
  });
});
