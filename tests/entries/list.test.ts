import type { Request } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { addresses, follow, iso, refusal } from './support.ts';

type ListRequest = Request<'entries.list'>;

describe.each(backends)('listing entries on %s', (backend) => {
  let app: TestApp;
  let start: number;
  const list = async (input: ListRequest, agent_id = 'agent/test') =>
    addresses((await app.call('entries.list', input, { agent_id })).entries);

  beforeAll(async () => {
    app = await openTestApp(backend);
    start = app.clock.now();
    const write = async (entity_path: string, key: string, fields: object = {}) => {
      app.clock.advance(1000);
      await app.call('entries.write', { entity_path, key, value: `${entity_path} ${key}`, ...fields });
    };
    await write('a/b', '1', { confidence: 0.2, memory_type: 'belief' });
    await write('a/b', '2', { confidence: 0.8, agent_id: 'agent/two' });
    await write('a/b/c', '3', { confidence: 0.8, memory_type: 'belief', agent_id: 'agent/two' });
    await write('a/bc', '4', { confidence: 0.5 });
    await write('a', '5', { artifact_refs: [{ uri: 'x:y' }] });
    await write('b', '6', { memory_type: 'experience' });
    await write('b', 'private', { shared: false });
    await write('b', 'deleted');
    await app.call('entries.delete', { entity_path: 'b', key: 'deleted' });
    await write('b', 'expired', { ttl_seconds: 1 });
    app.clock.advance(1000);
  });
  afterAll(() => app.close());

  it('gives what is there, by path and key', async () => {
    expect(await list({})).toEqual(['a/5', 'a/b/1', 'a/b/2', 'a/b/c/3', 'a/bc/4', 'b/6', 'b/private']);
  });

  it('leaves out what belongs to another agent alone', async () => {
    expect(await list({ entity_path: 'b' }, 'agent/two')).toEqual(['b/6']);
  });

  it('recent comes newest first', async () => {
    expect(await list({ sort: 'recent' })).toEqual(['b/private', 'b/6', 'a/5', 'a/bc/4', 'a/b/c/3', 'a/b/2', 'a/b/1']);
  });

  it.each<[string, ListRequest, string[]]>([
    ['an exact path', { entity_path: 'a/b' }, ['a/b/1', 'a/b/2']],
    ['direct children', { entity_path: 'a/*' }, ['a/b/1', 'a/b/2', 'a/bc/4']],
    ['everything below', { entity_path: 'a/**' }, ['a/b/1', 'a/b/2', 'a/b/c/3', 'a/bc/4']],
    ['everything', { entity_path: '*' }, ['a/5', 'a/b/1', 'a/b/2', 'a/b/c/3', 'a/bc/4', 'b/6', 'b/private']],
    ['nothing', { entity_path: 'a/b/c/d' }, []],
    ['author, newest first', { agent_id: 'agent/two' }, ['a/b/c/3', 'a/b/2']],
    ['author, by path', { agent_id: 'agent/two', sort: 'path' }, ['a/b/2', 'a/b/c/3']],
    ['type', { memory_type: 'belief' }, ['a/b/1', 'a/b/c/3']],
    ['least confidence', { min_confidence: 0.7 }, ['a/5', 'a/b/2', 'a/b/c/3', 'b/6', 'b/private']],
    ['most confidence', { max_confidence: 0.5 }, ['a/b/1', 'a/bc/4']],
    ['confidence from and to', { min_confidence: 0.3, max_confidence: 0.6 }, ['a/bc/4']],
    [
      'all at once',
      { entity_path: 'a/**', agent_id: 'agent/two', memory_type: 'belief', min_confidence: 0.8 },
      ['a/b/c/3'],
    ],
    [
      'author and path, newest first',
      { entity_path: 'a/*', agent_id: 'agent/test', sort: 'recent' },
      ['a/bc/4', 'a/b/1'],
    ],
  ])('filters by %s', async (_, input, expected) => {
    expect(await list(input)).toEqual(expected);
  });

  it('since is included, until is not', async () => {
    const between = { since: iso(start + 2000), until: iso(start + 4000) };
    expect(await list(between)).toEqual(['a/b/2', 'a/b/c/3']);
    expect(await list({ ...between, sort: 'recent' })).toEqual(['a/b/c/3', 'a/b/2']);
    expect(await list({ ...between, memory_type: 'belief' })).toEqual(['a/b/c/3']);
    expect(await list({ until: iso(start + 1000) })).toEqual([]);
    expect(await list({ since: iso(app.clock.now() + 1) })).toEqual([]);
  });

  it('meta leaves out values and artifact refs, and nothing else', async () => {
    const all = await app.call('entries.list', { entity_path: 'a' });
    const meta = await app.call('entries.list', { entity_path: 'a', fields: 'meta' });
    const { value: _, artifact_refs: __, ...rest } = all.entries[0] ?? {};
    expect(meta.entries).toEqual([rest]);
  });

  it.each([
    'nonsense',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["entries.list path","a"]').toString('base64url'),
    Buffer.from('["entries.list path","a","\\u0000"]').toString('base64url'),
    Buffer.from('["entries.list path",1,2]').toString('base64url'),
  ])('a cursor that was not made here (%s) is refused', async (cursor) => {
    const refused = await refusal(app.call('entries.list', { cursor }));
    expect(refused).toMatchObject({ code: 'invalid_cursor', status: 400 });
  });

  it('a cursor that was made for another list is refused', async () => {
    const at = { entity_path: 'a/b', key: '1' };
    for (const value of [1, 2]) {
      await app.call('entries.write', { ...at, value });
      await app.call('commits.create', { writes: [{ entity_path: 'c', key: 'k', value, pattern_refs: ['p', 'q'] }] });
    }
    const lists = [
      (cursor?: string) => app.call('entries.list', { limit: 1, cursor }),
      (cursor?: string) => app.call('entries.list', { limit: 1, sort: 'recent', cursor }),
      (cursor?: string) => app.call('entries.history', { ...at, limit: 1, cursor }),
      (cursor?: string) => app.call('entries.search', { limit: 1, cursor }),
      (cursor?: string) => app.call('entries.verify', { limit: 1, cursor }),
      (cursor?: string) => app.call('commits.list', { limit: 1, cursor }),
      (cursor?: string) => app.call('entities.list', { limit: 1, cursor }),
      (cursor?: string) => app.call('patterns.list', { limit: 1, cursor }),
    ];
    const cursors = await Promise.all(lists.map(async (list) => (await list()).next_cursor as string));
    for (const [i, list] of lists.entries())
      for (const [j, cursor] of cursors.entries())
        if (i === j) expect((await list(cursor)).next_cursor).not.toBe(cursor);
        else expect(await refusal(list(cursor))).toMatchObject({ code: 'invalid_cursor' });
  });
});

describe.each(backends)('the order of paths on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const paths = ['ünï', 'svc_a', 'svc/a', 'Svc/b', 'svc-a/x', 'svc', '𝔘/x', '\ufb01/x', 'svc/a/b', 'SVC', 'svc a'];
  const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

  it('is the order of their bytes, in every list and over all pages', async () => {
    const writes = paths.map((entity_path) => ({
      entity_path,
      key: 'k',
      value: 1,
      pattern_refs: [`ref ${entity_path}`],
    }));
    await app.call('commits.create', { writes });
    const sorted = paths.map((path) => path.normalize('NFC')).sort(inBytes);
    const entries = await follow((cursor) => app.call('entries.list', { limit: 2, cursor }));
    expect(entries.flatMap((page) => page.entries.map((entry) => entry.entity_path))).toEqual(sorted);
    const entities = await follow((cursor) => app.call('entities.list', { limit: 2, cursor }));
    expect(entities.flatMap((page) => page.entities.map((entity) => entity.entity_path))).toEqual(sorted);
    const patterns = await follow((cursor) => app.call('patterns.list', { limit: 2, cursor }));
    expect(patterns.flatMap((page) => page.patterns.map((pattern) => pattern.pattern_ref.slice(4)))).toEqual(sorted);
  });

  it.each([
    {
      base: '𝔘𝔫/𝔦',
      children: ['𝔘𝔫/𝔦/x', '𝔘𝔫/𝔦/𝔶'],
      deeper: ['𝔘𝔫/𝔦/x/y', '𝔘𝔫/𝔦/𝔶/𝔷'],
      others: ['𝔘𝔫/𝔦', '𝔘𝔫/𝔦𝔦/x', '𝔘𝔫', '𝔘𝔫/x'],
    },
    {
      base: 'e\u0301/日本',
      children: ['é/日本/x', 'é/日本/語'],
      deeper: ['é/日本/語/y'],
      others: ['é/日', 'é/日本人/x'],
    },
  ])('globs count characters right in $base', async ({ base, children, deeper, others }) => {
    const writes = [...children, ...deeper, ...others].map((entity_path) => ({ entity_path, key: 'k', value: 1 }));
    await app.call('commits.create', { writes });
    const list = async (entity_path: string) =>
      (await app.call('entries.list', { entity_path })).entries.map((entry) => entry.entity_path);
    const normal = (some: string[]) => some.map((path) => path.normalize('NFC')).sort(inBytes);
    expect(await list(`${base}/*`)).toEqual(normal(children));
    expect(await list(`${base}/**`)).toEqual(normal([...children, ...deeper]));
  });
});
