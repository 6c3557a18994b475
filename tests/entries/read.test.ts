import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { iso, refusal } from './support.ts';

describe.each(backends)('reading an entry on %s', (backend) => {
  let app: TestApp;
  const at = { entity_path: 'r/read', key: 'k' };
  const times: Record<string, string> = {};
  const now = () => iso(app.clock.now());
  const tick = (name: string) => {
    app.clock.advance(1000);
    times[name] = now();
    app.clock.advance(1000);
  };

  beforeAll(async () => {
    app = await openTestApp(backend);
    tick('before');
    times.first = now();
    await app.call('entries.write', { ...at, value: 'one' });
    tick('between');
    times.second = now();
    await app.call('entries.write', { ...at, value: 'two', confidence: 0.5 });
    tick('before delete');
    await app.call('entries.delete', at);
    tick('after delete');
    await app.call('entries.write', { ...at, value: 'three' });
    tick('end');
  });
  afterAll(() => app.close());

  const read = (input: { version?: number; as_of?: string } = {}) => app.call('entries.read', { ...at, ...input });

  it('without more it gives the current version', async () => {
    expect(await read()).toMatchObject({ ...at, version: 4, value: 'three', outcome_count: 0 });
  });

  it('an old version is read by its number, as it was written', async () => {
    expect(await read({ version: 1 })).toMatchObject({ version: 1, value: 'one', confidence: 0.7, deleted: false });
    expect(await read({ version: 2 })).toMatchObject({ version: 2, value: 'two', confidence: 0.5, deleted: false });
    expect(await read({ version: 2 })).not.toHaveProperty('recall_count');
  });

  it('a tombstone and a version that never was are not found', async () => {
    for (const version of [3, 5]) {
      expect(await refusal(read({ version }))).toMatchObject({ code: 'not_found', status: 404, ...at });
    }
  });

  it.each([
    ['first', 'one'],
    ['between', 'one'],
    ['second', 'two'],
    ['before delete', 'two'],
    ['end', 'three'],
  ])('as of %s it was %s', async (time, value) => {
    expect(await read({ as_of: times[time] as string })).toMatchObject({ value });
  });

  it.each(['before', 'after delete'])('as of %s it was not there', async (time) => {
    expect(await refusal(read({ as_of: times[time] as string }))).toMatchObject({ code: 'not_found', ...at });
  });

  it('as_of takes any offset from UTC', async () => {
    const there = (times.between as string).replace('Z', '+00:00');
    expect(await read({ as_of: there })).toMatchObject({ value: 'one' });
    expect(await read({ as_of: '2100-01-01T00:00:00+14:00' })).toMatchObject({ value: 'three' });
  });

  it('as of a time after it expired it was not there, swept or not', async () => {
    const short = { entity_path: 'r/read', key: 'short' };
    const written = app.clock.now();
    await app.call('entries.write', { ...short, value: 1, ttl_seconds: 10 });
    const asOf = (ms: number) => app.call('entries.read', { ...short, as_of: iso(written + ms) });
    app.clock.advance(20_000);
    for (const swept of [false, true]) {
      if (swept) await app.jobs.sweep();
      expect(await asOf(9_999)).toMatchObject({ value: 1 });
      expect(await refusal(asOf(10_000))).toMatchObject({ code: 'not_found' });
      expect(await refusal(asOf(15_000))).toMatchObject({ code: 'not_found' });
    }
  });

  it('version and as_of together are refused', async () => {
    const refused = await refusal(read({ version: 1, as_of: now() }));
    expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ path: 'as_of' }] });
  });

  it('a 404 names path and key', async () => {
    const nothing = { entity_path: 'no/such', key: 'thing' };
    for (const name of ['entries.read', 'entries.history', 'entries.delete', 'entries.diff'] as const) {
      expect(await refusal(app.call(name, nothing))).toMatchObject({ code: 'not_found', status: 404, ...nothing });
    }
    const restore = app.call('entries.restore', { ...nothing, version: 1 });
    expect(await refusal(restore)).toMatchObject({ code: 'not_found', ...nothing });
  });

  it('the path and the key are parted: a/b with key c is not a with key b/c', async () => {
    await app.call('entries.write', { entity_path: 'r/p', key: 'b/c', value: 'slash in key' });
    await app.call('entries.write', { entity_path: 'r/p/b', key: 'c', value: 'slash in path' });
    expect(await app.call('entries.read', { entity_path: 'r/p', key: 'b/c' })).toMatchObject({ value: 'slash in key' });
    expect(await app.call('entries.read', { entity_path: 'r/p/b', key: 'c' })).toMatchObject({
      value: 'slash in path',
    });
  });
});

describe.each(backends)('history on %s', (backend) => {
  let app: TestApp;
  const at = { entity_path: 'r/history', key: 'k' };
  let start: number;
  beforeAll(async () => {
    app = await openTestApp(backend);
    start = app.clock.now();
    for (let i = 1; i <= 9; i++) {
      if (i === 5) await app.call('entries.delete', at);
      else await app.call('entries.write', { ...at, value: i });
      app.clock.advance(1000);
    }
  });
  afterAll(() => app.close());

  it('comes newest first, tombstones among the rest', async () => {
    const history = await app.call('entries.history', at);
    expect(history).toMatchObject({ ...at, version_count: 9, has_more: false, next_cursor: null });
    expect(history.versions.map((version) => version.version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(history.versions.filter((version) => version.deleted).map((version) => version.version)).toEqual([5]);
    expect(history.versions.at(-1)).toMatchObject({ value: 1, version: 1, deleted: false });
  });

  it('is paged by cursor', async () => {
    const seen: number[] = [];
    let cursor: string | undefined;
    const sizes: number[] = [];
    do {
      const page = await app.call('entries.history', { ...at, limit: 4, ...(cursor ? { cursor } : {}) });
      seen.push(...page.versions.map((version) => version.version));
      sizes.push(page.versions.length);
      cursor = page.next_cursor ?? undefined;
      // A version written meanwhile is newer than the page, so it does not move the rest.
      await app.call('entries.write', { ...at, value: `more ${seen.length}` });
    } while (cursor);
    expect(sizes).toEqual([4, 4, 1]);
    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('since is included, until is not', async () => {
    const versions = async (range: { since?: string; until?: string }) =>
      (await app.call('entries.history', { ...at, ...range })).versions.map((version) => version.version);
    expect(await versions({ until: iso(start + 2000) })).toEqual([2, 1]);
    expect(await versions({ since: iso(start + 2000), until: iso(start + 4000) })).toEqual([4, 3]);
    expect(await versions({ until: iso(start) })).toEqual([]);
  });

  it('of a deleted entry is still there', async () => {
    const gone = { entity_path: 'r/history', key: 'gone' };
    await app.call('entries.write', { ...gone, value: 1 });
    await app.call('entries.delete', gone);
    const { versions } = await app.call('entries.history', gone);
    expect(versions.map((version) => version.deleted)).toEqual([true, false]);
  });

  it('shows each agent the versions it may see', async () => {
    const mixed = { entity_path: 'r/history', key: 'mixed' };
    await app.call('entries.write', { ...mixed, value: 'private', shared: false });
    await app.call('entries.write', { ...mixed, value: 'public', shared: true });
    await app.call('entries.write', { ...mixed, value: 'private again', shared: false });
    const seen = async (agent_id: string) =>
      (await app.call('entries.history', mixed, { agent_id })).versions.map((version) => version.value);
    expect(await seen('agent/test')).toEqual(['private again', 'public', 'private']);
    expect(await seen('agent/other')).toEqual(['public']);
    const early = { ...mixed, until: iso(start) };
    expect((await app.call('entries.history', early, { agent_id: 'agent/other' })).versions).toEqual([]);
  });

  it('of an entry that was always private does not exist for others, deleted or not', async () => {
    const hidden = { entity_path: 'r/history', key: 'hidden' };
    await app.call('entries.write', { ...hidden, value: 1, shared: false });
    const other = () => refusal(app.call('entries.history', hidden, { agent_id: 'agent/other' }));
    expect(await other()).toMatchObject({ code: 'not_found' });
    await app.call('entries.delete', hidden);
    expect(await other()).toMatchObject({ code: 'not_found' });
  });
});
