import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, refusal } from './support.ts';

describe.each(backends)('if_version on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('0 writes only where there is nothing', async () => {
    const at = { entity_path: 'if', key: 'new' };
    expect(await app.call('entries.write', { ...at, value: 1, if_version: 0 })).toMatchObject({ version: 1 });
    expect(await refusal(app.call('entries.write', { ...at, value: 2, if_version: 0 }))).toMatchObject({
      code: 'version_conflict',
      status: 409,
      current_version: 1,
      ...at,
    });
  });

  it('0 writes after a delete, and the version numbers go on', async () => {
    const at = { entity_path: 'if', key: 'deleted' };
    await app.call('entries.write', { ...at, value: 1 });
    await app.call('entries.delete', at);
    expect(await refusal(app.call('entries.write', { ...at, value: 2, if_version: 2 }))).toMatchObject({
      code: 'version_conflict',
      current_version: 0,
    });
    expect(await app.call('entries.write', { ...at, value: 2, if_version: 0 })).toMatchObject({ version: 3 });
  });

  it('0 writes after the entry expired', async () => {
    const at = { entity_path: 'if', key: 'expired' };
    await app.call('entries.write', { ...at, value: 1, ttl_seconds: 1 });
    app.clock.advance(1000);
    expect(await app.call('entries.write', { ...at, value: 2, if_version: 0 })).toMatchObject({ version: 2 });
  });

  it('the current version writes, any other is a conflict that changes nothing', async () => {
    const at = { entity_path: 'if', key: 'locked' };
    await app.call('entries.write', { ...at, value: 1 });
    expect(await app.call('entries.write', { ...at, value: 2, if_version: 1 })).toMatchObject({ version: 2 });
    const before = await countRows(app, 'events');
    for (const if_version of [1, 3]) {
      const refused = await refusal(app.call('entries.write', { ...at, value: 3, if_version }));
      expect(refused).toMatchObject({ code: 'version_conflict', current_version: 2 });
    }
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2, value: 2 });
    expect(await countRows(app, 'events')).toBe(before);
  });

  it('a conflict is one also where the value is the same', async () => {
    const at = { entity_path: 'if', key: 'same' };
    await app.call('entries.write', { ...at, value: 1 });
    expect(await refusal(app.call('entries.write', { ...at, value: 1, if_version: 4 }))).toMatchObject({
      code: 'version_conflict',
    });
  });

  it('of many who race with one version, exactly one writes', async () => {
    const at = { entity_path: 'if', key: 'race' };
    await app.call('entries.write', { ...at, value: 'start' });
    const racers = Array.from({ length: 50 }, (_, i) => app.call('entries.write', { ...at, value: i, if_version: 1 }));
    const results = await Promise.allSettled(racers);
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2 });
  });
});

describe.each(backends)('writes that arrive together on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxValueBytes: 1000 });
  });
  afterAll(() => app.close());

  it('200 writers of one key make versions 1 to 200, and none is lost', async () => {
    const at = { entity_path: 'many', key: 'one' };
    const writes = Array.from({ length: 200 }, (_, i) =>
      app.call('entries.write', { ...at, value: { writer: i } }, { agent_id: `agent/${i % 7}` }),
    );
    const versions = (await Promise.all(writes)).map((entry) => entry.version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    const history = await app.call('entries.history', { ...at, limit: 1000 });
    const writers = history.versions.map((version) => (version.value as { writer: number }).writer);
    expect(new Set(writers).size).toBe(200);
    expect(await app.call('entries.verify', { entity_path: 'many' })).toMatchObject({ valid: 200, chain_breaks: [] });
  });

  it('those that fail, fail alone', async () => {
    const write = (i: number) => {
      const at = { entity_path: 'mixed', key: `k${i % 10}` };
      if (i % 3 === 1) return app.call('entries.write', { ...at, value: i, if_version: 9999 });
      if (i % 3 === 2) return app.call('entries.write', { ...at, value: 'x'.repeat(2000) });
      return app.call('entries.write', { ...at, value: i });
    };
    const before = await countRows(app, 'events');
    const results = await Promise.allSettled(Array.from({ length: 150 }, (_, i) => write(i)));
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(failed.filter((code) => code === 'version_conflict')).toHaveLength(50);
    expect(failed.filter((code) => code === 'value_too_large')).toHaveLength(50);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(50);
    expect(await countRows(app, 'events')).toBe(before + 50);
    const { entries } = await app.call('entries.list', { entity_path: 'mixed' });
    expect(entries.reduce((sum, entry) => sum + entry.version, 0)).toBe(50);
  });

  it('writes, deletes, restores and commits of one key in one go happen one after the other', async () => {
    const at = { entity_path: 'mixed', key: 'all-kinds' };
    const [first, deleted, second, restored, commit, third] = await Promise.all([
      app.call('entries.write', { ...at, value: 'one' }),
      app.call('entries.delete', at),
      app.call('entries.write', { ...at, value: 'two' }),
      app.call('entries.restore', { ...at, version: 1 }),
      app.call('commits.create', { writes: [{ ...at, value: 'three' }] }),
      app.call('entries.write', { ...at, value: 'four' }),
    ]);
    expect(first.version).toBe(1);
    expect(deleted).toMatchObject({ version: 2, deleted: true });
    expect(second.version).toBe(3);
    expect(restored).toMatchObject({ version: 4, value: 'one' });
    expect(commit.entries).toMatchObject([{ version: 5 }]);
    expect(third.version).toBe(6);
    expect(await app.call('entries.verify', { entity_path: 'mixed' })).toMatchObject({
      corrupted: [],
      chain_breaks: [],
    });
  });

  it('the same key twice in one go is two versions, the same value twice is one', async () => {
    const at = { entity_path: 'mixed', key: 'twice' };
    const other = { entity_path: 'mixed', key: 'once' };
    const [one, two] = await Promise.all([1, 2].map((value) => app.call('entries.write', { ...at, value })));
    expect([one?.version, two?.version]).toEqual([1, 2]);
    const same = await Promise.all([1, 1].map((value) => app.call('entries.write', { ...other, value })));
    expect(same.map((entry) => [entry.version, entry.unchanged])).toEqual([
      [1, false],
      [1, true],
    ]);
  });

  it('the log numbers of all that was written have no gap', async () => {
    const { events, last_seq } = await app.call('log.list', { limit: 1000 });
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: last_seq }, (_, i) => i + 1));
  });
});
