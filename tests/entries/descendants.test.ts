import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const PATHS = ['shop', 'shop-old', 'shop/cart', 'shop/cart/items', 'shops'];

describe.each(backends)('a filter for a path and what is below it on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const [n, entity_path] of PATHS.entries())
      await app.call('entries.write', { entity_path, key: 'k', value: { n } });
  });
  afterAll(() => app.close());

  const below = { entity_path: 'shop', include_descendants: true };
  const pathsOf = ({ entries }: { entries: { entity_path: string }[] }) =>
    entries.map(({ entity_path }) => entity_path);

  it('lists both, in the order of paths and of time, page by page', async () => {
    expect(pathsOf(await app.call('entries.list', below))).toEqual(['shop', 'shop/cart', 'shop/cart/items']);
    const recent = await app.call('entries.list', { ...below, sort: 'recent' });
    expect(pathsOf(recent)).toEqual(['shop/cart/items', 'shop/cart', 'shop']);
    for (const sort of ['path', 'recent'] as const) {
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await app.call('entries.list', { ...below, sort, limit: 1, ...(cursor ? { cursor } : {}) });
        seen.push(...pathsOf(page));
        cursor = page.next_cursor;
      } while (cursor);
      expect(seen.sort()).toEqual(['shop', 'shop/cart', 'shop/cart/items']);
    }
    expect(pathsOf(await app.call('entries.list', { entity_path: 'shop/**' }))).not.toContain('shop');
  });

  it('searches and counts both', async () => {
    expect(pathsOf(await app.call('entries.search', below)).sort()).toEqual(['shop', 'shop/cart', 'shop/cart/items']);
    expect(await app.call('entries.aggregate', { ...below, op: 'sum', field: 'n' })).toMatchObject({ sum: 5, n: 3 });
  });

  it('and slashes at its ends are taken off', async () => {
    expect(pathsOf(await app.call('entries.list', { ...below, entity_path: '/shop/' }))).toHaveLength(3);
    expect(pathsOf(await app.call('entries.list', { entity_path: '/shop/**' }))).toHaveLength(2);
    const written = await app.call('entries.write', { entity_path: '/shop/new/', key: 'k', value: 1 });
    expect(written.entity_path).toBe('shop/new');
    expect(await app.call('entries.read', { entity_path: 'shop/new', key: 'k' })).toMatchObject({ value: 1 });
    for (const entity_path of ['/', '//', '/**', '/*', 'shop//new'])
      await expect(app.call('entries.list', { entity_path })).rejects.toThrow();
  });
});
