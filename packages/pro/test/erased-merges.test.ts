import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };
const at = { entity_path: 'checkout', key: 'policy' };

describe.each(backends)('what merges hold, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  const bytes = async () => Number((await rowsOf(app, 'SELECT storage_bytes FROM accounts'))[0]?.storage_bytes);
  const merge = (input: object = {}) =>
    app.call('branches.merge', { name: 'exp', strategy: 'THREE_WAY', keep_open: true, merge_id: 'm', ...input }, X);
  const fork = () => app.call('branches.create', { name: 'exp' }, Y);

  /** A merge that waits, with a conflict that was resolved. */
  async function waitWithConflict(more: object = {}) {
    await app.call('entries.write', { ...at, value: 0, ...more }, X);
    await fork();
    await app.call('entries.write', { ...at, value: 1, branch: 'exp', ...more }, X);
    await app.call('entries.write', { ...at, value: 2, ...more }, X);
    await expect(merge()).rejects.toMatchObject({ code: 'merge_conflicts' });
    await app.call('conflicts.resolve', { merge_id: 'm', no: 0, take: 'value', value: 'x'.repeat(1000) }, X);
  }

  it('is given back with the entry that a conflict is about', async () => {
    const before = await bytes();
    await waitWithConflict();
    expect(await bytes()).toBeGreaterThan(before + 1000);
    await app.call('entries.erase', { entity_path: at.entity_path }, X);
    await app.call('entries.erase', { entity_path: at.entity_path, branch: 'exp' }, X);
    expect(await rowsOf(app, 'SELECT * FROM merge_conflicts')).toEqual([]);
    expect(await bytes()).toBe(before + 'exp'.length);
  });

  it('is given back with the agent whose private entry a conflict is about', async () => {
    const before = await bytes();
    await waitWithConflict({ shared: false });
    await app.call('agents.erase', X);
    expect(await rowsOf(app, 'SELECT * FROM merge_conflicts')).toEqual([]);
    expect(await bytes()).toBe(before + 'exp'.length);
  });

  it('is given back with all entries that a merge wrote, and its message is gone', async () => {
    const before = await bytes();
    await fork();
    await app.call('entries.write', { ...at, value: 1, branch: 'exp' }, X);
    await merge({ message: 'about the policy' });
    await app.call('entries.erase', { entity_path: at.entity_path }, X);
    await app.call('entries.erase', { entity_path: at.entity_path, branch: 'exp' }, X);
    expect((await app.call('merges.read', { merge_id: 'm' }, X)).message).toBe('');
    expect(await bytes()).toBe(before + 'exp'.length);
  });

  it.each([
    [true, 'about the policy'],
    [false, ''],
  ])('is told to others as its commit is: with shared entries %s', async (shared, message) => {
    await fork();
    await app.call('entries.write', { ...at, value: 1, branch: 'exp', shared }, X);
    await merge({ message: 'about the policy' });
    for (const [as, seen] of [
      [X, 'about the policy'],
      [Y, message],
    ] as const) {
      expect((await app.call('merges.read', { merge_id: 'm' }, as)).message).toBe(seen);
      expect((await app.call('merges.list', {}, as)).merges[0]?.message).toBe(seen);
    }
  });
});
