import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, iso, refusal } from './support.ts';

describe.each(backends)('entries that expire on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('are gone from everything that reads at the moment their time has come', async () => {
    const at = { entity_path: 'e/gone', key: 'k' };
    await app.call('entries.write', { ...at, value: { flamingo: 7 }, ttl_seconds: 10 });
    const found = async () => ({
      listed: (await app.call('entries.list', { entity_path: 'e/gone' })).entries.length,
      recent: (await app.call('entries.list', { sort: 'recent' })).entries.length,
      searched: (await app.call('entries.search', { query: 'flamingo' })).entries.length,
      filtered: (await app.call('entries.search', { entity_path: 'e/gone' })).entries.length,
      reduced: (await app.call('entries.aggregate', { entity_path: 'e/gone' })).entries_scanned,
    });
    app.clock.advance(9_999);
    expect(await app.call('entries.read', at)).toMatchObject({ version: 1 });
    expect(await found()).toEqual({ listed: 1, recent: 1, searched: 1, filtered: 1, reduced: 1 });
    app.clock.advance(1);
    expect(await refusal(app.call('entries.read', at))).toMatchObject({ code: 'not_found' });
    expect(await found()).toEqual({ listed: 0, recent: 0, searched: 0, filtered: 0, reduced: 0 });
    expect((await app.call('entries.history', at)).versions).toHaveLength(1);
    expect(await app.call('entries.read', { ...at, version: 1 })).toMatchObject({ value: { flamingo: 7 } });
  });

  it('become tombstones with the sweep, and are counted no more', async () => {
    const at = { entity_path: 'e/swept', key: 'k' };
    const { seq } = await app.call(
      'entries.write',
      { ...at, value: 1, ttl_seconds: 10, pattern_refs: ['e/ref'], shared: false },
      { agent_id: 'agent/author', session_id: 'sess-author' },
    );
    const as = { agent_id: 'agent/author' };
    await app.jobs.sweep();
    expect(await app.call('entries.read', at, as)).toMatchObject({ version: 1 });
    app.clock.advance(10_000);
    await app.jobs.sweep();
    const { versions } = await app.call('entries.history', at, as);
    expect(versions.map((version) => version.deleted)).toEqual([true, false]);
    expect(versions[0]).toMatchObject({ shared: false, ttl_at: null, provenance: { agent_id: 'agent/author' } });
    const { events } = await app.call('log.list', { after: seq }, as);
    expect(events.filter((event) => event.entity_path === 'e/swept')).toMatchObject([
      { event_type: 'expire', ...at, version: 2, agent_id: 'agent/author' },
    ]);
    const others = await app.call('log.list', { after: seq });
    expect(others.events.filter((event) => event.entity_path === 'e/swept')).toEqual([]);
    expect((await app.call('entities.list', { entity_path: 'e/swept' }, as)).entities).toEqual([]);
    expect((await app.call('patterns.list', {}, as)).patterns).toEqual([]);
  });

  it('a second sweep finds nothing to do', async () => {
    const events = await countRows(app, 'events');
    await app.jobs.sweep();
    expect(await countRows(app, 'events')).toBe(events);
  });

  it('a rewrite before that without a ttl keeps another value for good', async () => {
    const at = { entity_path: 'e/kept', key: 'k' };
    await app.call('entries.write', { ...at, value: 1, ttl_seconds: 10 });
    expect(await app.call('entries.write', { ...at, value: 2 })).toMatchObject({ version: 2, ttl_at: null });
    app.clock.advance(20_000);
    await app.jobs.sweep();
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2, value: 2 });
  });

  it('a new ttl takes the place of the old one', async () => {
    const at = { entity_path: 'e/longer', key: 'k' };
    await app.call('entries.write', { ...at, value: 1, ttl_seconds: 10 });
    expect(await app.call('entries.write', { ...at, value: 1, ttl_seconds: 100 })).toMatchObject({ version: 2 });
    app.clock.advance(50_000);
    await app.jobs.sweep();
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2 });
    app.clock.advance(50_000);
    expect(await refusal(app.call('entries.read', at))).toMatchObject({ code: 'not_found' });
  });

  it('a ttl_at that is not in the future is refused by name', async () => {
    const at = { entity_path: 'e/past', key: 'k' };
    for (const ttl_at of [iso(app.clock.now()), iso(app.clock.now() - 1), '1969-12-31T23:59:59Z']) {
      const refused = await refusal(app.call('entries.write', { ...at, value: 1, ttl_at }));
      expect(refused).toMatchObject({ code: 'invalid_input', status: 422, errors: [{ path: 'ttl_at' }] });
    }
    const soon = await app.call('entries.write', { ...at, value: 1, ttl_at: iso(app.clock.now() + 1) });
    expect(soon).toMatchObject({ version: 1 });
  });

  it('very many at once are all swept, each once', async () => {
    const writes = Array.from({ length: 700 }, (_, i) => ({
      entity_path: 'e/many',
      key: `k${i}`,
      value: i,
      ttl_seconds: 1 + (i % 5),
    }));
    await app.call('commits.create', { writes });
    app.clock.advance(1);
    await app.jobs.sweep();
    const events = await countRows(app, 'events');
    app.clock.advance(10_000);
    await app.jobs.sweep();
    expect(await countRows(app, 'events')).toBe(events + 700);
    expect((await app.call('entities.list', { entity_path: 'e/many' })).entities).toEqual([]);
    expect(await app.call('entries.verify', {})).toMatchObject({ corrupted: [], chain_breaks: [] });
  });
});
