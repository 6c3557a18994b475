import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const at = { entity_path: 'checkout', key: 'retries' };

describe.each(backends)('history on a branch on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = async (value: unknown, branch = 'main') => {
    app.clock.advance(1000);
    await app.call('entries.write', { ...at, value, branch });
    return new Date(app.clock.now()).toISOString();
  };
  const fork = (name: string, from = 'main') => app.call('branches.create', { name, from });
  const history = async (branch: string, page: { limit?: number; cursor?: string } = {}) => {
    const { versions, version_count, next_cursor } = await app.call('entries.history', { ...at, branch, ...page });
    const values = versions.map((one) => [one.version, 'value' in one ? one.value : null]);
    return { values, version_count, next_cursor };
  };

  it('is its own, then that of its parent up to the fork', async () => {
    await write('a1');
    await write('a2');
    await fork('exp');
    await write('main 3');
    expect((await history('exp')).values).toEqual([
      [2, 'a2'],
      [1, 'a1'],
    ]);
    await write('exp 3', 'exp');
    await write('exp 4', 'exp');
    await write('main 4');
    expect(await history('exp')).toMatchObject({
      version_count: 4,
      values: [
        [4, 'exp 4'],
        [3, 'exp 3'],
        [2, 'a2'],
        [1, 'a1'],
      ],
    });
    expect((await history('main')).values.map(([, value]) => value)).toEqual(['main 4', 'main 3', 'a2', 'a1']);
    const first = await history('exp', { limit: 3 });
    expect(first.values).toHaveLength(3);
    expect((await history('exp', { limit: 3, cursor: first.next_cursor as string })).values).toEqual([[1, 'a1']]);
  });

  it('reaches through nested forks', async () => {
    await write('a1');
    await fork('exp');
    await write('main 2');
    await write('exp 2', 'exp');
    await fork('exp/deep', 'exp');
    await write('exp 3', 'exp');
    await write('deep 3', 'exp/deep');
    const values = ['deep 3', 'exp 2', 'a1'];
    expect((await history('exp/deep')).values.map(([, value]) => value)).toEqual(values);
  });

  it('ends with the parent where the branch began, also after a refresh', async () => {
    await write('a1');
    await fork('exp');
    await write('exp 2', 'exp');
    await write('main 2');
    await write('main 3');
    await app.call('branches.refresh', { name: 'exp', strategy: 'BRANCH_WINS' });
    expect((await history('exp')).values).toEqual([
      [3, 'main 3'],
      [2, 'exp 2'],
      [1, 'a1'],
    ]);
  });

  it('has each version by number and by time, compares them and restores one', async () => {
    const first = await write('a1');
    await write('a2');
    await fork('exp');
    const own = await write('exp 3', 'exp');
    await write('main 3');
    const read = (given: object) => app.call('entries.read', { ...at, branch: 'exp', ...given });
    expect(await read({ version: 1 })).toMatchObject({ value: 'a1' });
    expect(await read({ version: 3 })).toMatchObject({ value: 'exp 3' });
    await expect(read({ version: 4 })).rejects.toMatchObject({ code: 'not_found' });
    expect(await read({ as_of: first })).toMatchObject({ value: 'a1', version: 1 });
    expect(await read({ as_of: own })).toMatchObject({ value: 'exp 3' });
    const diff = { ...at, old_version: 1, new_version: 3 };
    expect(await app.call('entries.diff', { ...diff, branch: 'exp' })).not.toEqual(
      await app.call('entries.diff', diff),
    );
    const restored = await app.call('entries.restore', { ...at, version: 1, branch: 'exp' });
    expect(restored).toMatchObject({ version: 4 });
    expect(await read({})).toMatchObject({ value: 'a1' });
    expect(await app.call('entries.verify', { branch: 'exp' })).toMatchObject({ corrupted: [], chain_breaks: [] });
  });
});
