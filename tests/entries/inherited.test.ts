import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lineage, Module } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { refusal } from './support.ts';

const at = { entity_path: 'a', key: 'k' };
const other = { entity_path: 'a', key: 'other' };

describe.each(backends)('writes to a branch that takes entries over on %s', (backend) => {
  let app: TestApp;
  let fork = 0;
  const branches: Module = {
    name: 'branches_of_test',
    migrations: [],
    handlers: {},
    hooks: () => ({
      lineage: (branch): Lineage => [
        { branch: branch === 'alias' ? 'dev' : branch, up_to_seq: null },
        { branch: 'main', up_to_seq: fork },
      ],
    }),
  };

  beforeEach(async () => {
    app = await openTestApp(backend, { modules: [branches] });
    await app.call('entries.write', { ...at, value: 'one' });
    await app.call('entries.write', { ...at, value: 'two' });
    await app.call('entries.write', { ...other, value: 'other' });
    fork = (await app.call('stats.read', {})).last_seq;
    await app.call('entries.write', { ...at, value: 'three' });
  });
  afterEach(() => app.close());

  const write = (value: unknown, more: object = {}) =>
    app.call('entries.write', { ...at, value, branch: 'dev', ...more } as never);
  const read = (branch: string, key = 'k') => app.call('entries.read', { ...at, key, branch });
  const isVerified = async (branch: string) =>
    expect(await app.call('entries.verify', { branch })).toMatchObject({ corrupted: [], chain_breaks: [] });

  it('count on from what was taken over', async () => {
    expect(await refusal(write('new', { if_version: 0 }))).toMatchObject({
      code: 'version_conflict',
      current_version: 2,
    });
    expect(await refusal(write('new', { if_version: 3 }))).toMatchObject({ code: 'version_conflict' });
    expect(await write('two')).toMatchObject({ unchanged: true, version: 2 });
    expect(await write('new', { if_version: 2 })).toMatchObject({ version: 3, branch: 'dev' });
    expect(await write('newer', { if_version: 3 })).toMatchObject({ version: 4 });
    expect([await read('dev'), await read('main')]).toMatchObject([{ value: 'newer' }, { value: 'three', version: 3 }]);
    await isVerified('dev');
    await isVerified('main');
  });

  it('delete what was taken over, on the branch alone', async () => {
    const input = { ...at, branch: 'dev' };
    expect(await refusal(app.call('entries.delete', { ...input, if_version: 1 }))).toMatchObject({
      code: 'version_conflict',
    });
    expect(await app.call('entries.delete', { ...input, if_version: 2 })).toMatchObject({ version: 3 });
    expect(await refusal(read('dev'))).toMatchObject({ code: 'not_found' });
    expect(await read('main')).toMatchObject({ value: 'three' });
    await isVerified('dev');
  });

  it('restore and commit what was taken over', async () => {
    const restored = await app.call('entries.restore', { ...at, version: 1, branch: 'dev' });
    expect(restored).toMatchObject({ value: 'one', version: 3, restored_from: 1 });
    const writes = [{ ...other, value: 'changed', if_version: 1 }];
    expect(await app.call('commits.create', { writes, branch: 'dev' })).toMatchObject({ entries: [{ version: 2 }] });
    expect([await read('dev', 'other'), await read('main', 'other')]).toMatchObject([
      { value: 'changed' },
      { value: 'other', version: 1 },
    ]);
    await isVerified('dev');
  });

  it('go to the first branch of the lineage', async () => {
    await write('new', { branch: 'alias' });
    expect(await read('dev')).toMatchObject({ value: 'new', branch: 'dev' });
    await app.call('entries.restore', { ...at, version: 3, branch: 'alias' });
    await app.call('entries.delete', { ...at, branch: 'alias' });
    expect(await refusal(read('dev'))).toMatchObject({ code: 'not_found' });
    await app.call('commits.create', { writes: [{ ...other, value: 1 }], branch: 'alias' });
    expect(await read('dev', 'other')).toMatchObject({ value: 1, branch: 'dev' });
  });
});
