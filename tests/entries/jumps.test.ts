import { type Glob, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { addresses, follow, iso, refusal } from './support.ts';

describe.each(backends)('a jump on %s', (backend) => {
  let app: TestApp;
  let start: number;
  const key: Principal = {
    key_id: 'k',
    name: 'k',
    type: 'agent',
    read: [[parseGlob('a') as Glob, parseGlob('c/**') as Glob]],
  };
  beforeAll(async () => {
    app = await openTestApp(backend);
    start = app.clock.now();
    for (const path of ['a', 'a/b', 'b', 'c', 'c/d'])
      for (const name of ['1', '2']) {
        app.clock.advance(1000);
        await app.call('entries.write', { entity_path: path, key: name, value: `${path} ${name}` });
      }
    await app.call('branches.create', { name: 'try' });
  });
  afterAll(() => app.close());

  it('into the entries begins at a path, or the next one', async () => {
    const from = async (from_path: string, input: object = {}, as: object = {}) => {
      const pages = await follow((cursor) => app.call('entries.list', { from_path, limit: 3, cursor, ...input }, as));
      return addresses(pages.flatMap(({ entries }) => entries));
    };
    expect(await from('b')).toEqual(['b/1', 'b/2', 'c/1', 'c/2', 'c/d/1', 'c/d/2']);
    expect(await from('bb')).toEqual(['c/1', 'c/2', 'c/d/1', 'c/d/2']);
    expect(await from('c', { entity_path: 'c/**' })).toEqual(['c/d/1', 'c/d/2']);
    expect(await from('a/b', { entity_path: 'a', include_descendants: true, fields: 'meta' })).toEqual([
      'a/b/1',
      'a/b/2',
    ]);
    expect(await from('c/a', {}, { key })).toEqual(['c/d/1', 'c/d/2']);
    expect(await from('c', { branch: 'try' })).toEqual(['c/1', 'c/2', 'c/d/1', 'c/d/2']);
    expect(await from('d')).toEqual([]);
  });

  it('to a path needs the order of paths', async () => {
    for (const input of [{ sort: 'recent' as const }, { agent_id: 'agent/test' }])
      expect(await refusal(app.call('entries.list', { from_path: 'b', ...input }))).toMatchObject({
        errors: [{ path: 'from_path' }],
      });
  });

  it('into the newest entries begins at a time', async () => {
    const { entries } = await app.call('entries.list', { sort: 'recent', until: iso(start + 4000), limit: 2 });
    expect(addresses(entries)).toEqual(['a/b/1', 'a/2']);
  });

  it('into the paths begins at a path', async () => {
    const from = async (from_path: string, input: object = {}) => {
      const pages = await follow((cursor) => app.call('entities.list', { from_path, limit: 2, cursor, ...input }));
      return pages.flatMap(({ entities }) => entities.map(({ entity_path }) => entity_path));
    };
    expect(await from('a/b')).toEqual(['a/b', 'b', 'c', 'c/d']);
    expect(await from('ab')).toEqual(['b', 'c', 'c/d']);
    expect(await from('b', { branch: 'try' })).toEqual(['b', 'c', 'c/d']);
  });

  it('into the log begins at a time', async () => {
    const from = async (input: object, as: object = {}) =>
      (await app.call('log.list', { limit: 2, ...input }, as)).events.map(
        ({ entity_path, key }) => `${entity_path}/${key}`,
      );
    expect(await from({ since: iso(start + 3000) })).toEqual(['a/b/1', 'a/b/2']);
    expect(await from({ since: iso(start + 3000), after: 5 })).toEqual(['b/2', 'c/1']);
    expect(await from({ since: iso(start + 3000) }, { key })).toEqual(['c/d/1', 'c/d/2']);
    expect(await from({ since: iso(app.clock.now() + 1) })).toEqual([]);
  });

  it('into the log finds events of some types', async () => {
    const typesOf = async (input: object) =>
      (await app.call('log.list', input)).events.map(({ event_type }) => event_type);
    expect(await typesOf({ exclude_types: ['memory_write'] })).toEqual(['branch_created']);
    expect(await typesOf({ types: ['branch_created'] })).toEqual(['branch_created']);
    expect(await typesOf({ types: ['write', 'branch_created'], exclude_types: ['write'] })).toEqual(['branch_created']);
    expect(await typesOf({ types: ['write'], limit: 2 })).toEqual(['write', 'write']);
  });
});
