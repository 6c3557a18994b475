import { describe, expect, it } from 'vitest';
import { ClusterCache } from './cluster-cache.ts';

const cluster = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes));
const known = (cache: ClusterCache, scope: string, stamp: string) => [...cache.find(scope, stamp, [1, 2, 3, 4]).keys()];

describe('clusters that questions were compared with', () => {
  it('are kept as long as the vectors are the same', () => {
    const cache = new ClusterCache();
    cache.keep('a', 'now', new Map([[1, cluster(10)]]));
    cache.keep('b', 'now', new Map([[2, cluster(20)]]));
    expect(known(cache, 'a', 'now')).toEqual([1]);
    expect(known(cache, 'a', 'later')).toEqual([]);
    expect(known(cache, 'a', 'now')).toEqual([]);
    expect(known(cache, 'b', 'now')).toEqual([2]);
    expect(cache.bytes).toBe(20);
    cache.clear();
    expect([known(cache, 'b', 'now'), cache.bytes]).toEqual([[], 0]);
  });

  it('take no more memory than they may: those that were not asked for longest go first', () => {
    const cache = new ClusterCache(30);
    cache.keep('a', 'now', new Map([1, 2, 3].map((number) => [number, cluster(10)])));
    cache.find('a', 'now', [1]);
    cache.keep('b', 'now', new Map([[4, cluster(10)]]));
    expect(cache.bytes).toBe(30);
    expect(known(cache, 'a', 'now')).toEqual([1, 3]);
    expect(known(cache, 'b', 'now')).toEqual([4]);
    cache.keep('c', 'now', new Map([[1, cluster(40)]]));
    expect(cache.bytes).toBe(0);
    cache.clear();
  });
});
