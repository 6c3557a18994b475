import type { EntryKey } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const bad = { entity_path: 'deploys/web', key: 'limit' };
const other = { entity_path: 'deploys/api', key: 'limit' };

describe.each(backends)('quarantine with branches on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (at: EntryKey, value: unknown, input = {}) => app.call('entries.write', { ...at, value, ...input });
  const read = (at: EntryKey, branch = 'main') => app.call('entries.read', { ...at, branch });
  const gone = (at: EntryKey, branch = 'main') => expect(read(at, branch)).rejects.toMatchObject({ code: 'not_found' });
  const fork = (name: string, from?: string) => app.call('branches.create', { name, ...(from ? { from } : {}) });
  const hold = (input = {}) => app.call('quarantine.create', { ...bad, ...input });
  const listed = async (branch: string) =>
    (await app.call('entries.list', { branch })).entries.map(({ key, entity_path }) => `${entity_path}/${key}`);

  it('reaches branches, tags and earlier states that show the entry, and is undone there', async () => {
    await write(bad, 'first');
    await write(other, 'other');
    await fork('kept');
    await app.call('tags.create', { name: 'v1' });
    const { seq } = await write(bad, 'second');
    await fork('newer');
    await write(other, 'changed');
    await fork('past', `main@${seq}`);
    const states = ['main', 'kept', 'newer', 'past', 'tags/v1', `main@${seq}`];
    const before = await Promise.all(states.map((branch) => read(bad, branch)));
    const { quarantine_id } = await hold({ depth: 0 });
    for (const branch of states) {
      await gone(bad, branch);
      expect(await listed(branch)).toEqual(['deploys/api/limit']);
      expect(await read(other, branch)).toBeDefined();
    }
    await expect(write(bad, 'third', { branch: 'kept' })).rejects.toMatchObject({ code: 'entry_quarantined' });
    await app.call('quarantine.undo', { quarantine_id });
    const after = await Promise.all(states.map((branch) => read(bad, branch)));
    expect(after.map(({ value }) => value)).toEqual(before.map(({ value }) => value));
    expect(await listed('kept')).toHaveLength(2);
  });

  it('hides what is under quarantine in a conflict that was found before', async () => {
    await write(bad, 'first');
    await fork('exp');
    await write(bad, 'poison', { branch: 'exp', agent_id: 'agent/bad' });
    await write(bad, 'second');
    const merge = { name: 'exp', merge_id: 'm1', strategy: 'THREE_WAY', keep_open: true } as const;
    await expect(app.call('branches.merge', merge)).rejects.toMatchObject({ code: 'merge_conflicts' });
    const shown = await app.call('conflicts.read', { merge_id: 'm1', no: 0 });
    expect(shown).toMatchObject({ source: { value: 'poison' }, target: { value: 'second' } });
    expect(shown.quarantined).toBeUndefined();
    const { quarantine_id } = await app.call('quarantine.create', { written_by: 'agent/bad' });
    const held = await app.call('conflicts.read', { merge_id: 'm1', no: 0 });
    expect(held).toMatchObject({ source: null, target: { value: 'second' }, quarantined: true });
    expect(JSON.stringify(held)).not.toContain('poison');
    await app.call('quarantine.undo', { quarantine_id });
    expect(await app.call('conflicts.read', { merge_id: 'm1', no: 0 })).toEqual(shown);
  });

  it('finds copies that a merge made, and what a branch changed stays', async () => {
    await write(other, 'other');
    await fork('exp');
    await write(bad, 'bad', { branch: 'exp', agent_id: 'agent/bad', session_id: 's1' });
    await app.call('branches.merge', { name: 'exp', keep_open: true });
    await fork('later');
    await write(bad, 'mended', { branch: 'later' });
    const found = await app.call('quarantine.trace', { written_by: 'agent/bad', in_session: 's1' });
    expect(found.entries).toMatchObject([{ branch: 'exp' }, { branch: 'main' }]);
    await app.call('quarantine.create', { written_by: 'agent/bad', in_session: 's1' });
    await gone(bad);
    await gone(bad, 'exp');
    expect(await read(bad, 'later')).toMatchObject({ value: 'mended' });
  });

  it('merges neither take what is under quarantine nor write to it', async () => {
    await write(other, 'other');
    await fork('exp');
    await write(bad, 'bad', { branch: 'exp' });
    await write(other, 'changed', { branch: 'exp' });
    const first = await hold({ branch: 'exp' });
    await app.call('branches.merge', { name: 'exp', keep_open: true });
    expect(await read(other)).toMatchObject({ value: 'changed' });
    await gone(bad);
    await app.call('quarantine.undo', { quarantine_id: first.quarantine_id });
    expect(await read(bad, 'exp')).toMatchObject({ value: 'bad' });
    await app.call('entries.cherry_pick', { from: 'exp', entries: [bad] });
    expect(await read(bad)).toMatchObject({ value: 'bad' });
    await fork('next');
    await write(bad, 'worse', { branch: 'next' });
    await hold({ depth: 0 });
    const merged = app.call('branches.merge', { name: 'next', strategy: 'BRANCH_WINS' });
    await expect(merged).rejects.toMatchObject({ code: 'entry_quarantined', detail: { quarantined: 1 } });
  });

  it('a rollback leaves what is under quarantine as it is', async () => {
    await write(bad, 'first');
    await write(other, 'first');
    await app.call('tags.create', { name: 'v1' });
    await write(bad, 'second');
    await write(other, 'second');
    const { quarantine_id } = await hold();
    expect(await app.call('rollback.run', { tag: 'v1' })).toMatchObject({ entries_restored: 1 });
    await gone(bad);
    await app.call('quarantine.undo', { quarantine_id });
    expect(await read(bad)).toMatchObject({ value: 'second' });
    expect(await read(other)).toMatchObject({ value: 'first' });
  });

  it('holds what only others may see, and says no more than how many', async () => {
    await write(bad, 'bad');
    const theirs = { agent_id: 'agent/b', session_id: 's2' };
    await app.call('entries.read', bad, theirs);
    await write(other, 'theirs', { ...theirs, shared: false });
    const found = await app.call('quarantine.trace', bad);
    expect(found).toMatchObject({ entries: [bad], entries_found: 2, hidden: 1 });
    const { quarantine_id } = await hold();
    const held = await app.call('quarantine.read', { quarantine_id });
    expect(held).toMatchObject({ quarantine: { entries: 2, hidden: 1 }, entries: [bad] });
    const own = () => app.call('entries.read', other, { agent_id: 'agent/b' });
    await expect(own()).rejects.toMatchObject({ code: 'not_found' });
    await app.call('quarantine.undo', { quarantine_id });
    expect(await own()).toMatchObject({ value: 'theirs' });
    const asThem = await app.call('quarantine.trace', { ...other, depth: 0 });
    expect(asThem).toMatchObject({ entries_found: 0, hidden: 0 });
  });

  it('erasing an entry takes it out of its quarantine, with its name in the log', async () => {
    await write(bad, 'bad');
    await write(other, 'other', { agent_id: 'agent/test' });
    const { quarantine_id } = await app.call('quarantine.create', { written_by: 'agent/test' });
    await app.call('entries.erase', bad);
    const { entries } = await app.call('quarantine.read', { quarantine_id });
    expect(entries).toMatchObject([other]);
    const { events } = await app.call('log.list', { limit: 100 });
    expect(JSON.stringify(events)).not.toContain('deploys/web');
    expect(await app.call('quarantine.undo', { quarantine_id })).toMatchObject({ status: 'undone' });
    expect(await read(other)).toMatchObject({ value: 'other' });
    expect(await app.call('stats.read', {})).toMatchObject({ total_entries: 1 });
  });
});
