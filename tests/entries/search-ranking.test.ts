import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { follow } from './support.ts';

const filler = (n: number) =>
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do'.split(' ').slice(0, n).join(' ');
const longFiller = Array.from({ length: 12 }, (_, i) => filler(3 + (i % 7))).join(' ');

/** 30 documents. Each group of three is made so that one rule alone decides its order. */
const corpus: Record<string, string> = {
  'rare-1': `quasar ${filler(5)}`,
  'rare-2': `telescope ${filler(4)}`,
  'rare-3': `telescope ${filler(9)}`,
  'often-1': `kettle kettle kettle kettle ${filler(6)}`,
  'often-2': `kettle kettle ${filler(8)}`,
  'often-3': `kettle ${filler(9)}`,
  'short-1': 'walnut',
  'short-2': `walnut ${filler(9)}`,
  'short-3': `walnut ${longFiller}`,
  'both-1': 'harbour lighthouse ferry',
  'both-2': `harbour lighthouse ${filler(3)}`,
  'both-3': `ferry ${filler(4)}`,
  'phrase-1': `green apple tart ${filler(3)}`,
  'phrase-2': `apple that is green ${filler(3)}`,
  'phrase-3': `green ${longFiller}`,
  ...Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`noise-${i}`, `${filler(1 + (i % 9))} noise${i}`])),
};

const queries: [string, string, string[]][] = [
  ['the rarer word wins', 'telescope quasar', ['rare-1', 'rare-2', 'rare-3']],
  ['more matches win', 'kettle', ['often-1', 'often-2', 'often-3']],
  ['the shorter document wins', 'walnut', ['short-1', 'short-2', 'short-3']],
  ['more of the words win', 'harbour lighthouse ferry', ['both-1', 'both-2', 'both-3']],
  ['a phrase finds only the phrase', '"green apple"', ['phrase-1']],
  ['words of a query weigh alike wherever they stand', 'apple green tart', ['phrase-1', 'phrase-2', 'phrase-3']],
  ['prefixes rank as words do', 'walnu*', ['short-1', 'short-2', 'short-3']],
];

describe.each(backends)('ranking on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    const writes = Object.entries(corpus).map(([key, value]) => ({ entity_path: 'rank', key, value }));
    await app.call('commits.create', { writes });
  });
  afterAll(() => app.close());

  it.each(queries)('%s: %s', async (_, query, expected) => {
    const { entries, truncated } = await app.call('entries.search', { query });
    expect(entries.map((entry) => entry.key)).toEqual(expected);
    expect(truncated).toBe(false);
    const scores = entries.map((entry) => entry.score as number);
    expect(scores.every((score) => score > 0)).toBe(true);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('documents that match alike come newest first', async () => {
    for (const key of ['1', '2', '3']) await app.call('entries.write', { entity_path: 'tie', key, value: 'platypus' });
    await app.call('entries.write', { entity_path: 'tie', key: '1', value: 'platypus', confidence: 0.5 });
    const { entries } = await app.call('entries.search', { query: 'platypus' });
    expect(entries.map((entry) => entry.key)).toEqual(['1', '3', '2']);
  });

  it('pages give every match once, in one order', async () => {
    const whole = await app.call('entries.search', { query: 'lorem kettle walnut', limit: 1000 });
    const pages = await follow((cursor) =>
      app.call('entries.search', { query: 'lorem kettle walnut', limit: 4, cursor }),
    );
    const keys = (entries: { key: string }[]) => entries.map((entry) => entry.key);
    expect(pages.flatMap((page) => keys(page.entries))).toEqual(keys(whole.entries));
    expect(pages.length).toBeGreaterThan(5);
  });

  it('sorts the matches by confidence, age or version when asked to', async () => {
    const write = (key: string, confidence: number, times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, i) =>
          app.call('entries.write', { entity_path: 'sort', key, value: `ostrich ${i}`, confidence }),
        ),
      );
    await write('a', 0.3, 2);
    await write('b', 0.9, 1);
    await write('c', 0.6, 3);
    for (const query of ['ostrich', undefined]) {
      const sorted = async (sort_by?: 'relevance' | 'confidence' | 'recency' | 'version') =>
        (await app.call('entries.search', { query, entity_path: 'sort', sort_by })).entries.map((entry) => entry.key);
      expect(await sorted('confidence')).toEqual(['b', 'c', 'a']);
      expect(await sorted('recency')).toEqual(['c', 'b', 'a']);
      expect(await sorted('version')).toEqual(['c', 'a', 'b']);
      if (query === undefined) {
        expect(await sorted()).toEqual(['b', 'c', 'a']);
        expect(await sorted('relevance')).toEqual(['b', 'c', 'a']);
      }
    }
  });
});
