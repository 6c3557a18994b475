import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { follow, iso, refusal } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { emit, write, X, Y } from './support.ts';

describe.each(backends)('the timeline of an agent on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxScannedEntries: 50 });
  });
  afterAll(() => app.close());
  let agent_id: string;
  let round = 0;
  beforeEach(() => {
    agent_id = `agent/number-${++round}`;
  });
  const timeline = (input: object = {}, as: object = { agent_id }) =>
    app.call('agents.timeline', { agent_id, ...input }, as);

  it('has one line per event, newest first, with the documented fields', async () => {
    const at = iso(app.clock.now());
    await write(app, { entity_path: 'checkout/payments', key: 'retry-policy', value: 1 }, { agent_id });
    await app.call(
      'entries.write',
      { entity_path: 'checkout/payments', key: 'retry-policy', value: 2, confidence: 0.7 },
      { agent_id },
    );
    const { events, ...rest } = await timeline();
    expect(rest).toEqual({ agentId: agent_id, count: 2, next_cursor: null, has_more: false });
    expect(events.map(({ summary }) => summary)).toEqual([
      'Wrote checkout/payments/retry-policy v2',
      'Wrote checkout/payments/retry-policy v1',
    ]);
    expect(events[0]).toEqual({
      id: expect.any(Number),
      event_type: 'write',
      agent_id,
      actor_agent_id: null,
      branch: 'main',
      summary: 'Wrote checkout/payments/retry-policy v2',
      details: {
        entity_path: 'checkout/payments',
        key: 'retry-policy',
        version: 2,
        confidence: 0.7,
        memory_type: 'fact',
        shared: true,
      },
      created_at: at,
    });
  });

  it('holds what others did to its memory, and says who', async () => {
    const read = { event_type: 'cross_agent_read', entity_path: 'checkout', key: 'owner', version: 2 };
    await emit(app, { ...read, agent_id, actor_agent_id: Y.agent_id, details: { reader_agent_id: Y.agent_id } });
    await emit(app, { ...read, agent_id: Y.agent_id, details: { source_agent_id: agent_id } });
    const [inbound] = (await timeline()).events;
    expect(inbound).toMatchObject({ actor_agent_id: 'agent/y', summary: 'agent/y read checkout/owner v2' });
    const [own] = (await app.call('agents.timeline', { agent_id: Y.agent_id, limit: 1 }, Y)).events;
    expect(own).toMatchObject({ actor_agent_id: null, summary: `Read checkout/owner v2 of ${agent_id}` });
  });

  it('of an unknown agent is empty', async () => {
    expect(await timeline()).toEqual({ agentId: agent_id, events: [], count: 0, next_cursor: null, has_more: false });
  });

  it('pages to the end without a gap, whatever happens meanwhile', async () => {
    for (let i = 0; i < 7; i++) await write(app, { entity_path: `paged/${agent_id}`, key: `k${i}` }, { agent_id });
    const before = (await timeline()).events;
    expect(before).toHaveLength(7);
    const pages = await follow(async (cursor) => {
      const page = await timeline({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      await write(app, { entity_path: `paged/${agent_id}`, key: `later-${cursor}` }, { agent_id });
      return page;
    });
    expect(pages.map(({ count }) => count)).toEqual([2, 2, 2, 1]);
    expect(pages.flatMap(({ events }) => events)).toEqual(before);
  });

  it('can be asked for some types, also by their names in the stream', async () => {
    await write(app, { entity_path: 'typed', key: agent_id }, { agent_id });
    await emit(app, { event_type: 'outcome', agent_id, details: { outcome_ref: 'PR-12', outcome_type: 'success' } });
    await app.call('entries.delete', { entity_path: 'typed', key: agent_id }, { agent_id });
    const types = async (event_type: string[]) =>
      (await timeline({ event_type })).events.map((event) => event.event_type);
    expect(await types(['write'])).toEqual(['write']);
    expect(await types(['memory_write', 'outcome'])).toEqual(['outcome', 'write']);
    expect(await types(['fork'])).toEqual([]);
    const { errors } = await refusal(timeline({ event_type: ['writes'] }));
    expect(errors).toEqual([{ path: 'event_type', message: expect.stringContaining('there is no "writes"') }]);
  });

  it('finds rare types among many events page by page, each page ending early', async () => {
    const outcomes: number[] = [];
    for (let i = 0; i < 4; i++) {
      outcomes.unshift(await emit(app, { event_type: 'outcome', agent_id, details: { outcome_ref: `${i}` } }));
      const writes = Array.from({ length: 44 }, (_, n) => ({
        entity_path: `rare/${i}`,
        key: `k${n}`,
        value: agent_id,
      }));
      await app.call('commits.create', { writes }, { agent_id });
    }
    const pages = await follow((cursor) => timeline({ event_type: ['outcome'], ...(cursor ? { cursor } : {}) }));
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.flatMap(({ events }) => events.map(({ id }) => id))).toEqual(outcomes);
  });

  it('can be cut to a span of time: since is inclusive, until is not', async () => {
    const times: string[] = [];
    for (let i = 0; i < 3; i++) {
      app.clock.advance(1000);
      times.push(iso(app.clock.now()));
      await write(app, { entity_path: `timed/${agent_id}`, key: `k${i}` }, { agent_id });
    }
    const keys = async (input: object) => (await timeline(input)).events.map(({ details }) => details.key);
    expect(await keys({ since: times[1] })).toEqual(['k2', 'k1']);
    expect(await keys({ until: times[1] })).toEqual(['k0']);
    expect(await keys({ since: times[1], until: times[2] })).toEqual(['k1']);
    expect(await keys({ since: times[2], until: times[0] })).toEqual([]);
  });

  it('shows others nothing of what is not shared, and its agent everything', async () => {
    const secret = { entity_path: `private/${agent_id}`, key: 'k', value: 'hush', shared: false };
    await app.call('entries.write', secret, { agent_id });
    await write(app, { entity_path: `shared/${agent_id}`, key: 'k' }, { agent_id });
    const paths = (events: { details: Record<string, unknown> }[]) => events.map(({ details }) => details.entity_path);
    expect(paths((await timeline()).events)).toEqual([`shared/${agent_id}`, `private/${agent_id}`]);
    expect(paths((await timeline({}, Y)).events)).toEqual([`shared/${agent_id}`]);
    expect(await timeline({ limit: 1 }, Y)).toMatchObject({ count: 1, has_more: false, next_cursor: null });
    expect((await timeline({ event_type: ['write'] }, Y)).count).toBe(1);
  });

  it('loses the details of erased entries and keeps the events', async () => {
    await write(app, { entity_path: `erased/${agent_id}`, key: 'k' }, { agent_id });
    await app.call('entries.erase', { entity_path: `erased/${agent_id}` }, { agent_id });
    const { events } = await timeline();
    expect(events.map(({ summary }) => summary)).toEqual(['Erased 1 entry', 'Wrote an entry that was erased']);
    expect(JSON.stringify(events)).not.toContain('erased/agent');
  });

  it('takes no cursor of another list', async () => {
    for (let i = 0; i < 2; i++) await write(app, { entity_path: `cursors/${agent_id}`, key: `k${i}` }, { agent_id });
    const { next_cursor } = await app.call('agents.activity', { agent_id, limit: 1 }, { agent_id });
    expect(await refusal(timeline({ cursor: next_cursor }))).toMatchObject({ code: 'invalid_cursor' });
  });
});

describe.each(backends)('the activity of an agent on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await write(app, { entity_path: 'svc/pay', key: 'a' }, X);
    await app.call('commits.create', { message: 'two', writes: [draft('b'), draft('c')] }, X);
    await app.call('entries.write', { entity_path: 'svc/pay', key: 'secret', value: 1, shared: false }, X);
    await emit(app, {
      event_type: 'cross_agent_read',
      ...X,
      actor_agent_id: Y.agent_id,
      entity_path: 'svc/pay',
      key: 'a',
    });
  });
  afterAll(() => app.close());
  const draft = (key: string) => ({ entity_path: 'svc/pay', key, value: key });
  const activity = (input: object = {}, as: object = X) => app.call('agents.activity', { ...X, ...input }, as);

  it('has every thing once', async () => {
    const { timeline, ...rest } = await activity();
    expect(rest).toEqual({ agent_id: 'agent/x', next_cursor: null, has_more: false });
    expect(timeline.map(({ summary }) => summary)).toEqual([
      'agent/y read svc/pay/a',
      'Wrote svc/pay/secret v1',
      'Committed 2 entries: two',
      'Wrote svc/pay/c v1',
      'Wrote svc/pay/b v1',
      'Wrote svc/pay/a v1',
    ]);
    expect(timeline.at(-1)).toEqual({
      type: 'write',
      summary: 'Wrote svc/pay/a v1',
      entity_path: 'svc/pay',
      key: 'a',
      version: 1,
      timestamp: iso(app.clock.now()),
      details: { confidence: 0.7, memory_type: 'fact', shared: true },
      actor_agent_id: null,
    });
  });

  it('pages to the end', async () => {
    const pages = await follow((cursor) => activity({ limit: 4, ...(cursor ? { cursor } : {}) }));
    expect(pages.map(({ timeline }) => timeline.length)).toEqual([4, 2]);
    expect(pages.flatMap(({ timeline }) => timeline)).toEqual((await activity()).timeline);
  });

  it('shows others nothing of what is not shared', async () => {
    const { timeline } = await activity({}, Y);
    expect(timeline).toHaveLength(5);
    expect(JSON.stringify(timeline)).not.toContain('secret');
  });

  it('can be cut to a span of time', async () => {
    const later = iso(app.clock.now() + 1);
    expect((await activity({ since: later })).timeline).toEqual([]);
    expect((await activity({ until: later })).timeline).toHaveLength(6);
  });
});
