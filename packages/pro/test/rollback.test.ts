import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

describe.each(backends)('a rollback on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (key: string, value: unknown, more: object = {}) =>
    app.call('entries.write', { entity_path: 'shop', key, value, ...more });
  const run = (input: object) => app.call('rollback.run', input as never);
  const remove = (key: string, more: object = {}) => app.call('entries.delete', { entity_path: 'shop', key, ...more });
  const read = async (key: string, more: object = {}) => {
    const found = await app.call('entries.read', { entity_path: 'shop', key, ...more }).catch(() => undefined);
    return (found as { value: unknown } | undefined)?.value;
  };
  const state = async (more: object = {}) => {
    const { entries } = await app.call('entries.list', { ...more });
    return Object.fromEntries(
      entries.map((entry) => [(entry as { key: string }).key, (entry as { value: unknown }).value]),
    );
  };

  it('goes back to a tag of its own branch only', async () => {
    await write('a', 1);
    await app.call('branches.create', { name: 'exp' });
    await write('a', 2, { branch: 'exp' });
    await app.call('tags.create', { name: 'theirs', ref: 'exp' });
    await write('a', 3);
    const refused = await refusal(run({ tag: 'theirs' }));
    expect(refused).toMatchObject({ code: 'invalid_input' });
    expect(JSON.stringify(refused)).toContain('cherry-pick what tags/theirs has');
    expect(await read('a')).toBe(3);
    await write('a', 4, { branch: 'exp' });
    expect(await run({ tag: 'theirs', branch: 'exp' })).toMatchObject({ entries_restored: 1 });
    expect(await read('a', { branch: 'exp' })).toBe(2);
  });

  it('writes the state of a tag again, and deletes what came later', async () => {
    await write('a', 1);
    await write('b', 1, { memory_type: 'belief', confidence: 0.3 });
    await write('c', 1);
    await app.call('tags.create', { name: 'good' });
    await write('a', 2);
    await write('b', 2, { memory_type: 'fact', confidence: 0.9 });
    await remove('c');
    await write('d', 1);
    const answer = await run({ tag: 'good' });
    expect(answer).toMatchObject({ branch: 'main', seq: 3, entries_restored: 3, entries_deleted: 1, hidden: 0 });
    expect(answer.changes).toMatchObject([
      { key: 'a', action: 'restore', version: 2, restored_version: 1 },
      { key: 'b', action: 'restore', version: 2, restored_version: 1 },
      { key: 'c', action: 'restore', version: 2, restored_version: 1 },
      { key: 'd', action: 'delete', version: 1, restored_version: null },
    ]);
    expect(await state()).toEqual({ a: 1, b: 1, c: 1 });
    expect(await app.call('entries.read', { entity_path: 'shop', key: 'b' })).toMatchObject({
      version: 3,
      memory_type: 'belief',
      confidence: 0.3,
    });
    expect(await read('d', { version: 1 })).toBe(1);
    const { versions } = await app.call('entries.history', { entity_path: 'shop', key: 'a' });
    expect(versions.map((version) => (version as { value: unknown }).value)).toEqual([1, 2, 1]);
  });

  it('is undone by a rollback to the tag that it set first', async () => {
    await write('a', 1);
    await write('a', 2);
    await write('b', 1);
    const { tag } = await run({ seq: 1 });
    expect(await state()).toEqual({ a: 1 });
    expect(await state({ branch: `tags/${tag}` })).toEqual({ a: 2, b: 1 });
    await run({ tag });
    expect(await state()).toEqual({ a: 2, b: 1 });
  });

  it('goes to a time, an event or a place in the log', async () => {
    await write('a', 1);
    const at = new Date(app.clock.now()).toISOString();
    app.clock.advance(60_000);
    await write('a', 2);
    const { events } = await app.call('log.list', {});
    const [first] = events.filter(({ event_type }) => event_type === 'write');
    for (const target of [{ at }, { event: first?.position }, { event: '1' }, { seq: 1 }]) {
      expect(await run({ ...target, dry_run: true })).toMatchObject({ seq: 1, entries_restored: 1 });
    }
    expect(await run({ at })).toMatchObject({ entries_restored: 1 });
    expect(await read('a')).toBe(1);
  });

  it('needs one target that exists', async () => {
    expect(await refusal(run({}))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(run({ seq: 0, tag: 'x' }))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(run({ seq: 5 }))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(run({ tag: 'x' }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(run({ event: '7-abc' }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(run({ event: 'yesterday' }))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(run({ seq: 0, written_by: 'a', source: 'b' }))).toMatchObject({ code: 'invalid_input' });
  });

  it('changes nothing in a dry run, and shows both values in pages', async () => {
    for (const key of ['a', 'b', 'c']) await write(key, { n: 1 });
    for (const key of ['a', 'b']) await write(key, { n: 2 });
    await remove('c');
    const before = await app.call('log.list', {});
    const first = await run({ seq: 3, dry_run: true, limit: 2 });
    expect(first).toMatchObject({ rollback_id: null, tag: null, entries_restored: 3, has_more: true });
    expect(first.changes).toMatchObject([
      { key: 'a', value: { n: 2 }, restored_value: { n: 1 } },
      { key: 'b', value: { n: 2 }, restored_value: { n: 1 } },
    ]);
    const second = await run({ seq: 3, dry_run: true, limit: 2, cursor: first.next_cursor });
    expect(second.changes).toMatchObject([{ key: 'c', action: 'restore', restored_value: { n: 1 } }]);
    expect(second.changes[0]).not.toHaveProperty('value');
    expect(second.has_more).toBe(false);
    expect(await app.call('log.list', {})).toEqual(before);
    expect(await state()).toEqual({ a: { n: 2 }, b: { n: 2 } });
  });

  it('sets no tag where nothing has changed', async () => {
    await write('a', 1);
    expect(await run({ seq: 1 })).toMatchObject({ rollback_id: null, tag: null, entries_restored: 0, changes: [] });
    expect((await app.call('tags.list', {})).tags).toEqual([]);
  });

  it('can be limited to paths', async () => {
    await app.call('entries.write', { entity_path: 'shop/cart', key: 'a', value: 1 });
    await app.call('entries.write', { entity_path: 'shop/pay', key: 'a', value: 1 });
    await app.call('entries.write', { entity_path: 'shop/cart', key: 'a', value: 2 });
    await app.call('entries.write', { entity_path: 'shop/pay', key: 'a', value: 2 });
    expect(await run({ seq: 2, entity_path: 'shop/cart/**' })).toMatchObject({ entries_restored: 0 });
    expect(await run({ seq: 2, entity_path: 'shop/cart' })).toMatchObject({ entries_restored: 1 });
    expect(await app.call('entries.read', { entity_path: 'shop/pay', key: 'a' })).toMatchObject({ value: 2 });
  });

  it('by agent takes back what that agent wrote, and nothing of others', async () => {
    await write('a', 1, { agent_id: 'good' });
    await write('b', 1, { agent_id: 'good' });
    await write('a', 'poison', { agent_id: 'bad' });
    await write('b', 2, { agent_id: 'good' });
    await write('b', 'poison', { agent_id: 'bad' });
    await write('c', 'poison', { agent_id: 'bad' });
    await write('d', 'poison', { agent_id: 'bad' });
    await write('d', 'better', { agent_id: 'good' });
    expect(await run({ seq: 2, written_by: 'bad' })).toMatchObject({ entries_restored: 2, entries_deleted: 1 });
    expect(await state()).toEqual({ a: 1, b: 2, d: 'better' });
    expect(await run({ seq: 2, written_by: 'bad' })).toMatchObject({ entries_restored: 0, entries_deleted: 0 });
  });

  it('by source takes back what a connector or a sender of events wrote', async () => {
    await write('a', 1);
    const send = (source: string, key: string) =>
      app.call('events.send', { source, entity_path: 'shop', key, value: 2, event_type: 'x', id: source + key });
    await send('github', 'a');
    await send('github', 'b');
    await send('gitlab', 'c');
    await run({ seq: 1, source: 'github' });
    expect(await state()).toEqual({ a: 1, c: 2 });
  });

  it('leaves what is private to others as it is, and keeps authors', async () => {
    const owner = { agent_id: 'owner' };
    await write('secret', 1, { ...owner, shared: false });
    await write('plain', 1, owner);
    await write('hidden', 1, owner);
    await write('secret', 2, { ...owner, shared: false });
    await write('plain', 2, owner);
    await write('hidden', 2, { ...owner, shared: false });
    await write('late', 1, { ...owner, shared: false });
    const answer = await run({ seq: 3 });
    expect(answer).toMatchObject({ entries_restored: 1, entries_deleted: 0, hidden: 3 });
    expect(answer.changes).toMatchObject([{ key: 'plain' }]);
    expect(await state()).toEqual({ plain: 1 });
    const ownValue = async (key: string) => (await app.call('entries.read', { entity_path: 'shop', key }, owner)).value;
    expect([await ownValue('secret'), await ownValue('hidden'), await ownValue('late')]).toEqual([2, 2, 1]);
    const { events } = await app.call('log.list', { limit: 1000 });
    expect(JSON.stringify(events)).not.toMatch(/secret|late/);
    expect(await run({ seq: 3, ...owner })).toMatchObject({ entries_restored: 2, entries_deleted: 1, hidden: 0 });
    expect(await app.call('entries.read', { entity_path: 'shop', key: 'secret' }, owner)).toMatchObject({
      value: 1,
      shared: false,
      provenance: owner,
    });
  });

  it('stands in the log and on the timeline, and its writes name who rolled back', async () => {
    await write('a', 1, { agent_id: 'author' });
    await app.call('tags.create', { name: 'good' });
    await write('a', 2, { agent_id: 'author' });
    const { rollback_id, tag } = await run({ tag: 'good' });
    const { events } = await app.call('log.list', {});
    const last = events.slice(-3);
    expect(last.map(({ event_type }) => event_type).sort()).toEqual(['rollback', 'tag_created', 'write']);
    expect(last.find(({ event_type }) => event_type === 'write')).toMatchObject({
      agent_id: 'author',
      actor_agent_id: 'agent/test',
      details: { rollback_id, restored_from: 1 },
    });
    expect(last.at(-1)).toMatchObject({ event_type: 'rollback', details: { rollback_id, tag: 'good', undo_tag: tag } });
    const timeline = await app.call('agents.timeline', { agent_id: 'agent/test' });
    expect(timeline.events.map(({ summary }) => summary)).toContain('Rolled back to good');
  });

  it('does not bring back what has expired meanwhile', async () => {
    await write('a', 1, { ttl_seconds: 60 });
    await write('a', 2);
    app.clock.advance(120_000);
    expect(await run({ seq: 1 })).toMatchObject({ entries_restored: 0, entries_deleted: 1 });
    expect(await read('a')).toBeUndefined();
  });

  it('of a branch leaves its parent alone, and shows what it inherited', async () => {
    await write('a', 1);
    await app.call('branches.create', { name: 'trial' });
    const on = { branch: 'trial' };
    await write('a', 2, on);
    await write('b', 1, on);
    const { seq } = (await app.call('entries.read', { entity_path: 'shop', key: 'b', ...on })) as { seq: number };
    await write('b', 2, on);
    await write('a', 3);
    expect(await run({ seq, ...on })).toMatchObject({ branch: 'trial', entries_restored: 1 });
    expect(await state(on)).toEqual({ a: 2, b: 1 });
    await run({ seq: seq - 2, ...on });
    expect(await state(on)).toEqual({ a: 1 });
    expect(await state()).toEqual({ a: 3 });
  });

  it('of a branch goes back to before a refresh', async () => {
    await write('a', 1);
    await write('b', 1);
    await app.call('branches.create', { name: 'trial' });
    const on = { branch: 'trial' };
    await write('b', 'own', on);
    const { seq } = (await app.call('entries.read', { entity_path: 'shop', key: 'b', ...on })) as { seq: number };
    await write('a', 2);
    await write('c', 1);
    await app.call('branches.refresh', { name: 'trial' });
    expect(await state(on)).toEqual({ a: 2, b: 'own', c: 1 });
    expect(await run({ seq, ...on })).toMatchObject({ entries_restored: 1, entries_deleted: 1 });
    expect(await state(on)).toEqual({ a: 1, b: 'own' });
    expect(await state()).toEqual({ a: 2, b: 1, c: 1 });
  });

  it('restores many entries in steps', async () => {
    const writes = (value: number) =>
      Array.from({ length: 450 }, (_, i) => ({ entity_path: 'many', key: `k${i}`, value }));
    await app.call('commits.create', { writes: writes(1) });
    await app.call('tags.create', { name: 'full' });
    await app.call('commits.create', { writes: writes(2) });
    expect(await run({ tag: 'full' })).toMatchObject({ entries_restored: 450, has_more: true });
    const { entries } = await app.call('entries.list', { entity_path: 'many', limit: 1000 });
    expect(new Set(entries.map((entry) => (entry as { value: unknown }).value))).toEqual(new Set([1]));
    expect(entries.length).toBe(450);
  });
});
