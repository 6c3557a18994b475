import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const DEV = 'experiment/one';

describe.each(backends)('how far a branch is ahead and behind on %s', (backend) => {
  let app: TestApp;
  const write = (key: string, value: unknown, branch = 'main') =>
    app.call('entries.write', { entity_path: 'a', key, value, branch } as never);
  const merge = (more: object = {}) => app.call('branches.merge', { name: DEV, keep_open: true, ...more });
  const refresh = (more: object = {}) => app.call('branches.refresh', { name: DEV, strategy: 'THREE_WAY', ...more });
  const distance = async (name = DEV) => {
    const { ahead, behind, is_counted } = await app.call('branches.read', { name });
    expect(is_counted).toBe(true);
    return [ahead, behind];
  };

  beforeEach(async () => {
    app = await openTestApp(backend);
    for (const key of ['one', 'two', 'three']) await write(key, { n: 0 });
    await app.call('branches.create', { name: DEV });
  });
  afterEach(() => app.close());

  it('counts on from a merge that leaves it open', async () => {
    await write('one', { n: 1 }, DEV);
    await write('own', { n: 1 }, DEV);
    expect(await distance()).toEqual([2, 0]);
    await merge();
    expect(await distance()).toEqual([0, 0]);
    await write('one', { n: 2 }, DEV);
    expect(await distance()).toEqual([1, 0]);
    await merge();
    await write('one', { n: 3 }, DEV);
    expect(await distance()).toEqual([1, 0]);
    await write('two', { n: 1 });
    await write('own', { n: 9 });
    expect(await distance()).toEqual([1, 2]);
  });

  it.each(['THREE_WAY', 'SQUASH', 'BRANCH_WINS'] as const)('counts on from a merge by %s', async (strategy) => {
    await write('one', { n: 0, m: 1 }, DEV);
    await write('two', { n: 1 }, DEV);
    await write('one', { n: 0, l: 1 });
    await write('three', { n: 1 });
    expect(await distance()).toEqual([2, 2]);
    await merge({ strategy });
    // What was merged of both is new to the branch, and so is what only its parent changed.
    expect(await distance()).toEqual([0, 2]);
    await refresh();
    expect(await distance()).toEqual([0, 0]);
  });

  it('counts on from a refresh, which keeps what the branch has', async () => {
    await write('one', { n: 1 }, DEV);
    await write('two', { n: 1 });
    await write('three', { n: 1 });
    expect(await distance()).toEqual([1, 2]);
    await refresh();
    expect(await distance()).toEqual([1, 0]);
    await write('two', { n: 2 });
    expect(await distance()).toEqual([1, 1]);
    await refresh();
    await merge();
    expect(await distance()).toEqual([0, 0]);
    await write('one', { n: 5 });
    await refresh();
    expect(await distance()).toEqual([0, 0]);
    expect((await app.call('branches.diff', { name: DEV })).entries).toEqual([]);
  });

  it('counts deletions, and those of a branch of a branch', async () => {
    await app.call('branches.create', { name: 'child', from: DEV });
    await app.call('entries.delete', { entity_path: 'a', key: 'one', branch: 'child' });
    expect(await distance('child')).toEqual([1, 0]);
    await app.call('branches.merge', { name: 'child', target: DEV, keep_open: true });
    expect(await distance('child')).toEqual([0, 0]);
    expect(await distance()).toEqual([1, 0]);
    await merge();
    expect(await distance()).toEqual([0, 0]);
  });
});
