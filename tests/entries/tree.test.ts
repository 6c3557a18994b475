import { type Glob, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { follow } from './support.ts';

const OWNER = { agent_id: 'agent/owner' };
/** Found on both sides of the slash in the order of paths. */
const PATHS = ['a', 'a-b', 'a/b', 'a/b/c', 'a/d', 'a0', 'ä/ö/ü', 'ä/ö'];

describe.each(backends)('the tree of paths on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const entity_path of PATHS)
      for (const key of ['1', '2']) await app.call('entries.write', { entity_path, key, value: key });
    await app.call('entries.write', { entity_path: 'a/d', key: 'mine', value: 1, shared: false }, OWNER);
    await app.call('entries.write', { entity_path: 'secret/x', key: 'mine', value: 1, shared: false }, OWNER);
    await app.call('branches.create', { name: 'try' });
    await app.call('entries.write', { entity_path: 'a/e', key: '1', value: 1, branch: 'try' });
  });
  afterAll(() => app.close());

  const level = async (input: object = {}, as: object = {}) => {
    const pages = await follow((cursor) => app.call('entities.tree', { limit: 2, cursor, ...input }, as));
    return pages.flatMap(({ nodes }) =>
      nodes.map(({ entity_path, below, entry_count, path_count, complete }) => {
        expect(complete).toBe(true);
        return `${entity_path}${below ? '/' : ''} ${entry_count} in ${path_count}`;
      }),
    );
  };

  it('is listed level by level, with what is below each segment', async () => {
    expect(await level()).toEqual(['a 2 in 1', 'a-b 2 in 1', 'a/ 6 in 3', 'a0 2 in 1', 'ä/ 4 in 2']);
    expect(await level({ entity_path: 'a' })).toEqual(['a/b 2 in 1', 'a/b/ 2 in 1', 'a/d 2 in 1']);
    expect(await level({ entity_path: 'ä' })).toEqual(['ä/ö 2 in 1', 'ä/ö/ 2 in 1']);
    expect(await level({ entity_path: 'nowhere' })).toEqual([]);
  });

  it('has private entries for who wrote them alone', async () => {
    expect(await level({ entity_path: 'a' }, OWNER)).toEqual(['a/b 2 in 1', 'a/b/ 2 in 1', 'a/d 3 in 1']);
    expect(await level({ entity_path: 'secret' }, OWNER)).toEqual(['secret/x 1 in 1']);
    expect(await level({ entity_path: 'secret' })).toEqual([]);
  });

  it('ends where the scope of a key does', async () => {
    const read = [[parseGlob('a/b/**') as Glob, parseGlob('a0') as Glob]];
    const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read };
    expect(await level({}, { key })).toEqual(['a/ 2 in 1', 'a0 2 in 1']);
    expect(await level({ entity_path: 'a' }, { key })).toEqual(['a/b/ 2 in 1']);
    expect(await level({ entity_path: 'a/b' }, { key })).toEqual(['a/b/c 2 in 1']);
    expect(await level({ entity_path: 'ä' }, { key })).toEqual([]);
    expect(await level({ entity_path: 'a', branch: 'try' }, { key: { ...key, type: 'admin' } })).toEqual([
      'a/b/ 2 in 1',
    ]);
  });

  it('shows a branch with what it inherits', async () => {
    expect(await level({ branch: 'try' })).toEqual(['a 2 in 1', 'a-b 2 in 1', 'a/ 7 in 4', 'a0 2 in 1', 'ä/ 4 in 2']);
    expect(await level({ branch: 'try', entity_path: 'a' })).toEqual([
      'a/b 2 in 1',
      'a/b/ 2 in 1',
      'a/d 2 in 1',
      'a/e 1 in 1',
    ]);
  });
});
