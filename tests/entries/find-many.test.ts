import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Find, Query } from '../../packages/server/src/db/index.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';
import { countStatements } from '../support/counted.ts';

const COUNT = 500;

const findVersions: Find = {
  table: 'versions',
  select: 'entry_id, version',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

type Found = { entry_id: number; version: number } | undefined;

type Store = { backend: Backend; rowSecurity: 'on' | 'off'; partitions?: number };

const stores: Store[] = [
  ...backends.map((backend) => ({ backend, rowSecurity: 'off' as const })),
  { backend: 'postgres', rowSecurity: 'on' } as const,
  { backend: 'postgres', rowSecurity: 'on', partitions: 3 } as const,
];

describe.each<Store>(stores)('looking up many keys on $backend, row security $rowSecurity, $partitions', (store) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(store.backend, store);
    await app.call('commits.create', {
      writes: Array.from({ length: 100 }, (_, i) => ({ entity_path: 'many', key: `k${i}`, value: i })),
    });
  });
  afterAll(() => app.close());

  /** Each way to read, with what has to be done after it. */
  const ways: Record<string, () => Promise<[Query, () => Promise<void>]>> = {
    read: async () => [app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT).read, async () => {}],
    scan: async () => [app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT).scan, async () => {}],
    async snapshot() {
      const snapshot = await app.kernel.services.database.snapshot(SELF_HOSTED_ACCOUNT);
      return [snapshot, () => snapshot.close()];
    },
  };
  const keysOf = (count: number) =>
    Array.from({ length: count }, (_, i) => [SELF_HOSTED_ACCOUNT, i % 3 === 2 ? 1_000_000 + i : (i % 100) + 1, 1]);
  const expected = (keys: readonly (readonly (string | number)[])[]) =>
    keys.map(([, entry_id]) => (Number(entry_id) > 1_000_000 ? undefined : entry_id));

  it.each(Object.keys(ways))('`%s` gives one answer for each key, in order', async (way) => {
    const [query, close] = await (ways[way] as (typeof ways)[string])();
    try {
      for (const count of [0, 1, 2, 7, 8, 9, 100, 129, COUNT]) {
        const keys = keysOf(count);
        const found = await query.findMany<NonNullable<Found>>(findVersions, keys);
        expect(found.map((row) => row?.entry_id)).toEqual(expected(keys));
      }
    } finally {
      await close();
    }
  });

  it.each(Object.keys(ways))(`\`%s\` takes a handful of statements for ${COUNT} keys`, async (way) => {
    const [query, close] = await (ways[way] as (typeof ways)[string])();
    const { statements: count } = await countStatements(() => query.findMany(findVersions, keysOf(COUNT)));
    await close();
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(6);
  });

  it('a transaction does the same', async () => {
    const keys = keysOf(COUNT);
    let found: Found[] = [];
    const { statements: count } = await countStatements(() =>
      app.kernel.services.database.transaction(async (tx) => {
        tx.enter(SELF_HOSTED_ACCOUNT);
        found = await tx.findMany<NonNullable<Found>>(findVersions, keys);
      }),
    );
    expect(found.map((row) => row?.entry_id)).toEqual(expected(keys));
    expect(count).toBeLessThan(10);
  });
});
