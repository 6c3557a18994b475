import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dump } from '../contract/dump.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const at = { entity_path: 'mem0/users/ada', key: 'm1' };
const T1 = '2024-03-01T10:00:00.000Z';
const T2 = '2024-06-01T10:00:00.000Z';
const two = [
  { ...at, value: { memory: 'likes tea' }, agent_id: 'bot/one', written_at: T1, source_id: 'm1' },
  { ...at, value: { memory: 'likes coffee' }, agent_id: 'bot/two', written_at: T2, session_id: 's1' },
];

describe.each(backends)('entries from elsewhere on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  const take = (entries: object[], more: object = {}) =>
    app.call('entries.import', { source: 'mem0', entries, ...more } as never);
  const statuses = async (entries: object[], more: object = {}) =>
    (await take(entries, more)).entries.map(({ status }: { status: string }) => status);

  it('keep their authors and their times, and come into the log now', async () => {
    const { entries, written, import_id } = await take(two);
    expect(entries).toMatchObject([
      { ...at, status: 'written', version: 1 },
      { ...at, status: 'written', version: 2 },
    ]);
    expect({ written, import_id }).toEqual({ written: 2, import_id: expect.any(String) });
    const { versions } = await app.call('entries.history', at);
    expect(versions.map(({ provenance, value }) => [provenance.agent_id, provenance.written_at, value])).toEqual([
      ['bot/two', T2, { memory: 'likes coffee' }],
      ['bot/one', T1, { memory: 'likes tea' }],
    ]);
    expect(versions[0]?.provenance.session_id).toBe('s1');
    expect(await app.call('entries.read', { ...at, as_of: '2024-04-01T00:00:00Z' })).toMatchObject({
      value: { memory: 'likes tea' },
    });
    const { events } = await app.call('log.list', {});
    expect(events[0]).toMatchObject({
      created_at: '2026-01-01T00:00:00.000Z',
      details: { imported_from: 'mem0', source_id: 'm1', written_at: T1 },
    });
    expect(await app.call('entries.verify', {})).toMatchObject({ valid: 2, corrupted: [], chain_breaks: [] });
    expect((await app.call('entries.search', { query: 'coffee' })).entries).toHaveLength(1);
    const { agents } = await app.call('agents.list', {});
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(expect.arrayContaining(['bot/one', 'bot/two']));
  });

  it('come again without changing anything', async () => {
    await take(two);
    const { events, entries, versions, edges, counts } = await dump(app);
    expect(await statuses(two)).toEqual(['unchanged', 'unchanged']);
    expect(await dump(app)).toMatchObject({ events, entries, versions, edges, counts });
  });

  it('say nothing new where only their text is written otherwise', async () => {
    await take([{ ...at, value: { a: 1, b: 2 } }]);
    expect(await statuses([{ ...at, value: { b: 2, a: 1 }, written_at: T2 }])).toEqual(['unchanged']);
  });

  it('stay behind what was written here later, or deleted', async () => {
    await take(two);
    await app.call('entries.write', { ...at, value: 'changed here' });
    expect(await statuses([{ ...at, value: 'else', written_at: '2025-01-01T00:00:00Z' }, ...two])).toEqual([
      'older',
      'unchanged',
      'unchanged',
    ]);
    await app.call('entries.delete', at);
    expect(await statuses([{ ...at, value: 'else', written_at: T2 }])).toEqual(['older']);
    await expect(app.call('entries.read', at)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('become new versions, or are left, where an entry says something else', async () => {
    await take([two[0] as object]);
    expect(await statuses([two[1] as object], { on_conflict: 'skip' })).toEqual(['skipped']);
    expect(await statuses([two[1] as object])).toEqual(['written']);
    expect((await app.call('entries.read', at)).version).toBe(2);
  });

  it('are never of the future', async () => {
    await take([{ ...at, value: 1, written_at: '2031-01-01T00:00:00Z' }]);
    expect(await app.call('entries.read', at)).toMatchObject({
      provenance: { written_at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it('has a dry run, which reports the same and writes nothing', async () => {
    await take([two[0] as object]);
    const before = await dump(app);
    const many = [...two, { ...at, key: 'm2', value: 1 }, { ...at, key: 'm2', value: 1 }];
    const links = [{ source: 'mem0/users/ada/m2', relation: 'knows', target: 'tea', target_type: 'entity' }];
    const tried = await take(many, { dry_run: true, links });
    expect(tried).toMatchObject({ dry_run: true, import_id: null, written: 2, linked: 1 });
    expect(await dump(app)).toEqual(before);
    const { dry_run: _, import_id: __, ...done } = await take(many, { links });
    expect(tried).toMatchObject(done);
  });

  it('are all written, or none', async () => {
    const before = await dump(app);
    const large = { ...at, key: 'm9', value: 'x'.repeat(2 * 1024 * 1024) };
    await expect(take([...two, large])).rejects.toMatchObject({ code: 'value_too_large' });
    expect(await dump(app)).toEqual(before);
  });

  it('are linked once', async () => {
    const links = [
      {
        source: 'mem0/users/ada/m1',
        relation: 'is_about',
        target: 'coffee',
        target_type: 'entity',
        agent_id: 'bot/two',
      },
    ];
    expect(await take(two, { links })).toMatchObject({ linked: 1 });
    expect(await take(two, { links })).toMatchObject({ linked: 0, links: [{ status: 'unchanged' }] });
    const { edges } = await app.call('graph.neighbors', { entity: 'coffee' });
    expect(edges).toMatchObject([{ relation: 'is_about', evidence_count: 1 }]);
  });

  it('are not linked where an end is not there any more', async () => {
    const links = [{ source: 'mem0/users/ada/m1', relation: 'is_about', target: 'coffee', target_type: 'entity' }];
    await take(two);
    await app.call('entries.delete', at);
    expect(await take(two, { links })).toMatchObject({ linked: 0, links: [{ status: 'missing' }] });
  });

  it('keep to the rules of their agents', async () => {
    const contract = { entity_path: 'mem0/**', required_fields: ['memory', 'because'] };
    await app.call('agents.set_contracts', { agent_id: 'bot/one', contracts: [contract] } as never);
    await expect(take(two)).rejects.toMatchObject({ code: 'contract_violated' });
  });

  it('do not change the private entries of others, nor reveal them', async () => {
    await app.call('entries.write', { ...at, value: 'mine', shared: false }, { agent_id: 'bot/three' });
    await expect(take(two)).rejects.toMatchObject({ code: 'forbidden' });
    await app.call('entries.delete', at, { agent_id: 'bot/three' });
    expect(await statuses(two)).toEqual(['written', 'older']);
  });
});
