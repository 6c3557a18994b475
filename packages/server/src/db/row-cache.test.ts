import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CachedFind, RowCache } from './row-cache.ts';
import type { Row } from './sql.ts';

const find: CachedFind = {
  table: 'entries',
  select: 'entry_id, document',
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
  number: 'entry_id',
};
const limits = { total: 40_000, account: 20_000, row: 5_000 };

type Step = { account: number; entry: number; size: number; does: 'put' | 'get' | 'drop' | 'drop number' | 'clear' };

const keyOf = ({ account, entry }: Step) => [`account-${account}`, 'main', `path/${entry % 3}`, `k${entry}`];
const rowOf = ({ entry, size }: Step, mark: number): Row => ({ entry_id: entry, document: 'x'.repeat(size), mark });

const steps = fc.array(
  fc.record<Step>({
    account: fc.nat(5),
    entry: fc.nat(20),
    size: fc.nat(6_000),
    does: fc.constantFrom('put', 'put', 'get', 'get', 'drop', 'drop number', 'clear'),
  }),
  { maxLength: 300 },
);

describe('rows in memory', () => {
  it('stay within their bytes, and are what was kept last or nothing', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const cache = new RowCache(find, limits);
        const kept = new Map<string, number>();
        taken.forEach((step, mark) => {
          const key = keyOf(step);
          const [account_id, branch, entity_path, name] = key as [string, string, string, string];
          if (step.does === 'put') cache.put(key, rowOf(step, mark));
          if (step.does === 'put') kept.set(key.join(), mark);
          if (step.does === 'drop') cache.drop({ account_id, branch, entity_path, key: name });
          if (step.does === 'drop number') cache.drop({ account_id, entry_id: step.entry });
          if (step.does.startsWith('drop')) kept.delete(key.join());
          if (step.does === 'clear') cache.clear();
          if (step.does === 'clear') kept.clear();
          const found = cache.get(key);
          if (found) expect(found.mark).toBe(kept.get(key.join()));
          expect(cache.bytes).toBeLessThanOrEqual(limits.total);
          expect(cache.bytes).toBeGreaterThanOrEqual(0);
        });
      }),
    );
  });

  it('are added to where they are, and dropped where it is not known which they are', () => {
    const cache = new RowCache(find, limits);
    const key = ['a', 'main', 'p', 'k'];
    cache.put(key, { entry_id: 7, document: '{}', recall_count: 1 });
    cache.add({ account_id: 'a', entry_id: 7, recall_count: 2 }, ['recall_count']);
    cache.add({ account_id: 'a', entry_id: 8, recall_count: 2 }, ['recall_count']);
    cache.add({ account_id: 'b', entry_id: 7, recall_count: 2 }, ['recall_count']);
    expect(cache.get(key)).toMatchObject({ recall_count: 3 });
    cache.add({ account_id: 'a', branch: 'main', entity_path: 'p', key: 'k', recall_count: 2 }, ['recall_count']);
    expect(cache.get(key)).toBeUndefined();
  });

  it('of one account take their share and no more, however many it reads', () => {
    const cache = new RowCache(find, limits);
    const step = (account: number, entry: number): Step => ({ account, entry, size: 100, does: 'put' });
    cache.put(keyOf(step(1, 1)), rowOf(step(1, 1), 1));
    for (let entry = 0; entry < 1_000; entry++) cache.put(keyOf(step(2, entry)), rowOf(step(2, entry), 1));
    expect(cache.bytes).toBeLessThanOrEqual(limits.account + 1_000);
    expect(cache.get(keyOf(step(1, 1)))).toBeDefined();
  });

  it('that are used stay while others come and go', () => {
    const cache = new RowCache(find, limits);
    const step = (entry: number): Step => ({ account: 1, entry, size: 100, does: 'put' });
    cache.put(keyOf(step(0)), rowOf(step(0), 1));
    for (let entry = 1; entry < 1_000; entry++) {
      cache.put(keyOf(step(entry)), rowOf(step(entry), 1));
      expect(cache.get(keyOf(step(0)))).toBeDefined();
    }
    expect(cache.get(keyOf(step(1)))).toBeUndefined();
  });

  it('count a wide character as the two bytes that it takes', () => {
    const cache = new RowCache(find, limits);
    const key = ['a', 'main', 'p', 'k'];
    cache.put(key, { entry_id: 1, document: 'x'.repeat(3_000) });
    expect(cache.get(key)).toBeDefined();
    cache.put(key, { entry_id: 1, document: `${'x'.repeat(2_999)}漢` });
    expect(cache.get(key)).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });

  it('are told apart by the parts of their keys, not by their texts in a row', () => {
    const cache = new RowCache(find, limits);
    cache.put(['a', 'main', 'p/q', 'k'], { entry_id: 1, document: '{}' });
    expect(cache.get(['a', 'main', 'p', '/qk'])).toBeUndefined();
    expect(cache.get(['a', 'mainp', '/q', 'k'])).toBeUndefined();
    expect(cache.get(['b', 'main', 'p/q', 'k'])).toBeUndefined();
  });
});
