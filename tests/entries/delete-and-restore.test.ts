import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, refusal } from './support.ts';

describe.each(backends)('deleting on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('writes a tombstone, after which the entry is nowhere but in its history', async () => {
    const at = { entity_path: 'd/one', key: 'k' };
    await app.call('entries.write', { ...at, value: 'pelican', pattern_refs: ['d/ref'] });
    const before = await app.call('stats.read', {});
    const tombstone = await app.call('entries.delete', at, { agent_id: 'agent/deleter' });
    expect(tombstone).toMatchObject({ ...at, version: 2, deleted: true, provenance: { agent_id: 'agent/deleter' } });
    expect(await refusal(app.call('entries.read', at))).toMatchObject({ code: 'not_found' });
    expect((await app.call('entries.list', { entity_path: 'd/one' })).entries).toEqual([]);
    expect((await app.call('entries.search', { query: 'pelican' })).entries).toEqual([]);
    expect((await app.call('entries.search', { entity_path: 'd/one' })).entries).toEqual([]);
    expect(await app.call('entries.aggregate', { entity_path: 'd/one' })).toMatchObject({ entries_scanned: 0 });
    expect((await app.call('entities.list', { entity_path: 'd/one' })).entities).toEqual([]);
    expect((await app.call('patterns.list', {})).patterns).toEqual([]);
    const after = await app.call('stats.read', {});
    expect(after.total_entries).toBe(before.total_entries - 1);
    expect((await app.call('entries.history', at)).versions.map((version) => version.deleted)).toEqual([true, false]);
  });

  it('is an event and an audit row of its own', async () => {
    const at = { entity_path: 'd/log', key: 'k' };
    const { seq } = await app.call('entries.write', { ...at, value: 1 });
    const audits = await countRows(app, 'audit');
    await app.call('entries.delete', at);
    const { events } = await app.call('log.list', { after: seq });
    expect(events).toMatchObject([{ event_type: 'delete', ...at, version: 2 }]);
    expect(await countRows(app, 'audit')).toBe(audits + 1);
  });

  it('what is not there cannot be deleted', async () => {
    const at = { entity_path: 'd/none', key: 'k' };
    expect(await refusal(app.call('entries.delete', at))).toMatchObject({ code: 'not_found', ...at });
    await app.call('entries.write', { ...at, value: 1 });
    await app.call('entries.delete', at);
    expect(await refusal(app.call('entries.delete', at))).toMatchObject({ code: 'not_found', ...at });
    const expired = { entity_path: 'd/none', key: 'expired' };
    await app.call('entries.write', { ...expired, value: 1, ttl_seconds: 1 });
    app.clock.advance(1000);
    expect(await refusal(app.call('entries.delete', expired))).toMatchObject({ code: 'not_found' });
  });

  it('with if_version deletes only that version', async () => {
    const at = { entity_path: 'd/if', key: 'k' };
    await app.call('entries.write', { ...at, value: 1 });
    const refused = await refusal(app.call('entries.delete', { ...at, if_version: 2 }));
    expect(refused).toMatchObject({ code: 'version_conflict', current_version: 1 });
    expect(await app.call('entries.delete', { ...at, if_version: 1 })).toMatchObject({ version: 2 });
  });

  it('a later write goes on with the version numbers', async () => {
    const at = { entity_path: 'd/again', key: 'k' };
    await app.call('entries.write', { ...at, value: 1 });
    await app.call('entries.delete', at);
    expect(await app.call('entries.write', { ...at, value: 1 })).toMatchObject({ version: 3, unchanged: false });
    expect((await app.call('entities.list', { entity_path: 'd/again' })).entities).toMatchObject([{ entry_count: 1 }]);
    expect(await app.call('entries.verify', { entity_path: 'd/**' })).toMatchObject({
      corrupted: [],
      chain_breaks: [],
    });
  });

  it('another agent cannot delete what is private', async () => {
    const at = { entity_path: 'd/private', key: 'k' };
    await app.call('entries.write', { ...at, value: 1, shared: false });
    const other = { agent_id: 'agent/other' };
    expect(await refusal(app.call('entries.delete', at, other))).toMatchObject({ code: 'not_found' });
    const { last_seq } = await app.call('log.list', { limit: 1000 });
    await app.call('entries.delete', at);
    expect((await app.call('log.list', { after: last_seq }, other)).events).toEqual([]);
  });
});

describe.each(backends)('restoring on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const fields = {
    value: { first: 'kiwi' },
    confidence: 0.4,
    memory_type: 'belief' as const,
    pattern_refs: ['r/ref'],
    artifact_refs: [{ uri: 'x:y' }],
  };

  it('writes the content of an old version again, as a new one', async () => {
    const at = { entity_path: 'r/one', key: 'k' };
    await app.call('entries.write', { ...at, ...fields, ttl_seconds: 600 });
    const { seq } = await app.call('entries.write', { ...at, value: 'second' });
    const restored = await app.call('entries.restore', { ...at, version: 1 }, { agent_id: 'agent/restorer' });
    const { pattern_refs, ...content } = fields;
    expect(restored).toMatchObject({
      ...at,
      ...content,
      version: 3,
      ttl_at: null,
      restored_from: 1,
      unchanged: false,
      provenance: { agent_id: 'agent/restorer', pattern_refs },
    });
    expect(await app.call('entries.read', at)).toMatchObject({ ...content, version: 3 });
    const { events } = await app.call('log.list', { after: seq });
    expect(events).toMatchObject([{ event_type: 'write', ...at, version: 3, details: { restored_from: 1 } }]);
    const { entries } = await app.call('entries.search', { query: 'kiwi' });
    expect(entries.map((entry) => entry.entity_path)).toEqual(['r/one']);
  });

  it('brings back what was deleted', async () => {
    const at = { entity_path: 'r/deleted', key: 'k' };
    await app.call('entries.write', { ...at, ...fields });
    await app.call('entries.delete', at);
    expect(await app.call('entries.restore', { ...at, version: 1 })).toMatchObject({ version: 3, value: fields.value });
    expect((await app.call('entities.list', { entity_path: 'r/deleted' })).entities).toMatchObject([
      { entry_count: 1 },
    ]);
  });

  it('brings back what has expired', async () => {
    const at = { entity_path: 'r/expired', key: 'k' };
    await app.call('entries.write', { ...at, value: 1, ttl_seconds: 1 });
    app.clock.advance(1000);
    expect(await app.call('entries.restore', { ...at, version: 1 })).toMatchObject({ version: 2, ttl_at: null });
    expect(await app.call('entries.read', at)).toMatchObject({ value: 1 });
  });

  it('of the content that is there changes nothing', async () => {
    const at = { entity_path: 'r/same', key: 'k' };
    await app.call('entries.write', { ...at, value: 1 });
    const events = await countRows(app, 'events');
    expect(await app.call('entries.restore', { ...at, version: 1 })).toMatchObject({ version: 1, unchanged: true });
    expect(await countRows(app, 'events')).toBe(events);
  });

  it('takes if_version', async () => {
    const at = { entity_path: 'r/if', key: 'k' };
    await app.call('entries.write', { ...at, value: 1 });
    await app.call('entries.write', { ...at, value: 2 });
    const refused = await refusal(app.call('entries.restore', { ...at, version: 1, if_version: 1 }));
    expect(refused).toMatchObject({ code: 'version_conflict', current_version: 2 });
    expect(await app.call('entries.restore', { ...at, version: 1, if_version: 2 })).toMatchObject({ version: 3 });
  });

  it('neither a tombstone nor a version that never was can be restored', async () => {
    const at = { entity_path: 'r/none', key: 'k' };
    await app.call('entries.write', { ...at, value: 1 });
    await app.call('entries.delete', at);
    for (const version of [2, 3])
      expect(await refusal(app.call('entries.restore', { ...at, version }))).toMatchObject({
        code: 'not_found',
        ...at,
      });
  });

  it('another agent cannot restore a private version, whatever became of it', async () => {
    const at = { entity_path: 'r/private', key: 'k' };
    const restore = () => refusal(app.call('entries.restore', { ...at, version: 1 }, { agent_id: 'agent/other' }));
    await app.call('entries.write', { ...at, value: 'secret', shared: false });
    expect(await restore()).toMatchObject({ code: 'not_found' });
    await app.call('entries.write', { ...at, value: 'public', shared: true });
    expect(await restore()).toMatchObject({ code: 'not_found' });
    await app.call('entries.delete', at);
    expect(await restore()).toMatchObject({ code: 'not_found' });
    expect(await app.call('entries.restore', { ...at, version: 1 })).toMatchObject({ value: 'secret', shared: false });
  });

  it('another agent can restore a version that was public before the entry was deleted as private', async () => {
    const at = { entity_path: 'r/was-public', key: 'k' };
    await app.call('entries.write', { ...at, value: 'public' });
    await app.call('entries.write', { ...at, value: 'secret', shared: false });
    const restore = () => app.call('entries.restore', { ...at, version: 1 }, { agent_id: 'agent/other' });
    expect(await refusal(restore())).toMatchObject({ code: 'not_found' });
    await app.call('entries.delete', at);
    expect(await restore()).toMatchObject({ version: 4, value: 'public', shared: true });
  });
});
