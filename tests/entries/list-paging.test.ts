import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { addresses, follow } from './support.ts';

describe.each(backends)('paging through entries on %s', (backend) => {
  let app: TestApp;
  const path = (i: number) => `p/${String(i % 10).padStart(2, '0')}`;
  const key = (i: number) => `k${String(i).padStart(3, '0')}`;
  let all: string[];

  beforeAll(async () => {
    app = await openTestApp(backend);
    const writes = Array.from({ length: 100 }, (_, i) => ({ entity_path: path(i), key: key(i), value: i }));
    await app.call('commits.create', { writes });
    all = addresses(writes).sort();
  });
  afterAll(() => app.close());

  it.each([1, 7, 50, 99, 100, 101])('pages of %i give everything once, in order', async (limit) => {
    const pages = await follow((cursor) => app.call('entries.list', { entity_path: 'p/*', limit, cursor }));
    expect(pages.flatMap((page) => addresses(page.entries))).toEqual(all);
    expect(pages).toHaveLength(Math.ceil(100 / limit));
    const recent = await follow((cursor) => app.call('entries.list', { limit, cursor, sort: 'recent' }));
    expect(recent.flatMap((page) => page.entries.map((entry) => entry.value))).toEqual(
      Array.from({ length: 100 }, (_, i) => 99 - i),
    );
  });

  it('nothing comes twice and nothing that was there is lost while others write', async () => {
    let n = 0;
    const disturb = async () => {
      for (let i = 0; i < 5; i++, n++) {
        await app.call('entries.write', { entity_path: path(n * 3), key: `new${n}`, value: n });
        await app.call('entries.write', { entity_path: path(n), key: key(n), value: `rewritten ${n}` });
      }
    };
    const pages = await follow(async (cursor) => {
      const [page] = await Promise.all([
        app.call('entries.list', { entity_path: 'p/**', limit: 9, cursor }),
        disturb(),
      ]);
      return page;
    });
    const seen = pages.flatMap((page) => addresses(page.entries));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((address) => !address.includes('new'))).toEqual(all);
    expect(seen).toEqual([...seen].sort());
  });

  it('newest first, nothing comes twice and nothing that stays as it was is lost', async () => {
    await app.call('commits.create', {
      writes: Array.from({ length: 60 }, (_, i) => ({ entity_path: 'q', key: key(i), value: i })),
    });
    let n = 0;
    const pages = await follow(async (cursor) => {
      const page = await app.call('entries.list', { entity_path: 'q', sort: 'recent', limit: 7, cursor });
      await app.call('entries.write', { entity_path: 'q', key: key(n), value: `rewritten ${n}` });
      n += 2;
      return page;
    });
    const seen = pages.flatMap((page) => page.entries.map((entry) => entry.key));
    expect(new Set(seen).size).toBe(seen.length);
    const untouched = Array.from({ length: 60 }, (_, i) => i).filter((i) => i >= n || i % 2 === 1);
    for (const i of untouched) expect(seen).toContain(key(i));
  });
});

describe.each(backends)('a page that has looked at enough on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxScannedEntries: 20 });
    const writes = Array.from({ length: 200 }, (_, i) => ({
      entity_path: 's',
      key: `k${String(i).padStart(3, '0')}`,
      value: i,
      confidence: i % 50 === 7 ? 0.1 : 1,
      shared: i % 3 !== 0,
    }));
    await app.call('commits.create', { writes });
  });
  afterAll(() => app.close());

  it.each(['path', 'recent'] as const)('ends early, and its cursors reach everything once by %s', async (sort) => {
    const pages = await follow((cursor) => app.call('entries.list', { sort, limit: 5, max_confidence: 0.5, cursor }));
    const found = pages.flatMap((page) => page.entries.map((entry) => entry.key));
    expect(found.sort()).toEqual(['k007', 'k057', 'k107', 'k157']);
    expect(pages.some((page) => page.entries.length === 0 && page.has_more)).toBe(true);
  });

  it('finds for another agent what is not private, with pages that are full and pages that are not', async () => {
    const agent = { agent_id: 'agent/other' };
    const pages = await follow((cursor) => app.call('entries.list', { limit: 15, cursor }, agent));
    const found = pages.flatMap((page) => page.entries.map((entry) => entry.value));
    expect(found).toEqual(Array.from({ length: 200 }, (_, i) => i).filter((i) => i % 3 !== 0));
  });

  it('loses nothing while others write between the looks', async () => {
    let n = 0;
    const pages = await follow(async (cursor) => {
      const writes = Array.from({ length: 6 }, () => ({
        entity_path: 's',
        key: `k${String((n * 31) % 200).padStart(3, '0')} new ${n++}`,
        value: 'new',
      }));
      const page = app.call('entries.list', { limit: 5, max_confidence: 0.5, cursor });
      await app.call('commits.create', { writes });
      return page;
    });
    expect(pages.flatMap((page) => page.entries.map((entry) => entry.key))).toEqual(['k007', 'k057', 'k107', 'k157']);
  });
});
