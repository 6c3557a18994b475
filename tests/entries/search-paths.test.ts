import { type Glob, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Principal, SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { indexerOf } from '../../packages/server/src/modules/text/indexer.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const OTHERS = 2600;
/** More words than are kept beside the index. */
const LONG = `common gateway words ${Array.from({ length: 1500 }, (_, i) => `page${i}`).join(' ')}`;
const scoped: Principal = {
  key_id: 'k',
  name: 'k',
  type: 'agent',
  read: [['shop/pay', 'shop/pay/card/**', 'shöp/**'].map((glob) => parseGlob(glob) as Glob)],
};
const deep = Array.from({ length: 20 }, (_, i) => `d${i}`).join('/');

/** Small and old projects among many entries with the same words, all common. */
const PROJECTS: Record<string, string[]> = {
  'shop/pay': ['retry', 'refund'],
  'shop/pay/card': ['limit'],
  'shop/pay/card/deep': ['rule'],
  'shop/payments': ['other'],
  'shöp/päy': ['umlaut'],
  [deep]: ['far'],
};

describe.each(backends)('search within a path, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { entity_path: 'shop/pay/book', key: 'long', value: LONG });
    const writes = Object.entries(PROJECTS).flatMap(([entity_path, keys]) =>
      keys.map((key) => ({ entity_path, key, value: `common gateway words of ${key}` })),
    );
    await app.call('commits.create', { writes });
    const others = Array.from({ length: OTHERS }, (_, i) => ({
      entity_path: `bulk/p${i % 7}`,
      key: `k${i}`,
      value: 'common gateway words',
    }));
    for (let at = 0; at < OTHERS; at += 1000) await app.call('commits.create', { writes: others.slice(at, at + 1000) });
  });
  afterAll(() => app.close());

  const find = async (entity_path: string, more: object = {}, as: object = {}) => {
    const { entries, truncated } = await app.call(
      'entries.search',
      { query: 'common gateway', entity_path, limit: 10, ...more },
      as,
    );
    return { keys: entries.map(({ key }) => key).sort(), truncated };
  };
  const all = (...keys: string[]) => ({ keys: keys.sort(), truncated: false });

  async function findsEverything() {
    expect(await find('shop/pay')).toEqual(all('retry', 'refund'));
    expect(await find('shop/pay/*')).toEqual(all('limit', 'long'));
    expect(await find('shop/pay/**')).toEqual(all('limit', 'rule', 'long'));
    expect(await find('shop/pay', { include_descendants: true })).toEqual(
      all('retry', 'refund', 'limit', 'rule', 'long'),
    );
    expect(await find('shop/**')).toEqual(all('retry', 'refund', 'limit', 'rule', 'long', 'other'));
    expect(await find('shöp/**')).toEqual(all('umlaut'));
    expect(await find(deep)).toEqual(all('far'));
    expect(await find(`${deep.slice(0, deep.lastIndexOf('/'))}/**`)).toEqual(all('far'));
    expect(await find('nowhere/**')).toEqual(all());
    expect(await find('shop/**', { query: '"common gateway" rul*' })).toEqual(
      all('retry', 'refund', 'limit', 'rule', 'long', 'other'),
    );
    const asKey = { key: scoped };
    expect(await find('*', {}, asKey)).toEqual(all('retry', 'refund', 'rule', 'umlaut'));
    expect(await find('shop/**', {}, asKey)).toEqual(all('retry', 'refund', 'rule'));
    expect(await find('bulk/**', {}, asKey)).toEqual(all());
  }

  const indexAll = async () => {
    const indexer = indexerOf(app.kernel.services);
    indexer?.request(SELF_HOSTED_ACCOUNT);
    await indexer?.drain();
  };

  it('finds everything there is, however common the words are elsewhere', async () => {
    await indexAll();
    await findsEverything();
  });

  it('finds everything at paths with many entries, however many newer matches are elsewhere', async () => {
    const { limits } = app.kernel.services;
    Object.assign(limits, { max_few_entries: 1, max_looked_at_matches: 40 });
    try {
      await findsEverything();
    } finally {
      Object.assign(limits, { max_few_entries: undefined, max_looked_at_matches: undefined });
    }
  });

  it('finds as much for a question', async () => {
    const question = { query: 'Which common gateway words are there?', semantic_weight: 0, neighbours: false };
    const { entries, truncated } = await app.call('entries.retrieve', { ...question, entity_path: 'shop/pay' });
    expect({ keys: entries.map(({ key }) => key).sort(), truncated }).toEqual(all('retry', 'refund'));
  });

  it('finds what was written, moved on and deleted since the index was written', async () => {
    await app.call('entries.write', { entity_path: 'shop/pay/card', key: 'fresh', value: 'common gateway words' });
    await app.call('entries.write', { entity_path: 'shop/pay', key: 'retry', value: 'nothing of it' });
    await app.call('entries.delete', { entity_path: 'shop/pay', key: 'refund' });
    const isRight = async () => {
      expect(await find('shop/pay')).toEqual(all());
      expect(await find('shop/pay/*')).toEqual(all('limit', 'long', 'fresh'));
      expect(await find('shop/pay/**')).toEqual(all('limit', 'long', 'fresh', 'rule'));
    };
    await isRight();
    await indexAll();
    await isRight();
  });

  it('ranks by words within the path as it does over all paths', async () => {
    const at = (key: string, value: string) => ({ entity_path: 'zoo/birds', key, value });
    const writes = [
      at('one', 'wombat wombat gateway'),
      at('two', 'wombat and some other words'),
      at('three', 'gateway'),
    ];
    await app.call('commits.create', { writes: [...writes, { ...at('away', 'wombat'), entity_path: 'zoo/else' }] });
    const scores = async (more: object) => {
      const { entries } = await app.call('entries.search', { query: 'wombat', ...more });
      // On PostgreSQL the lengths of entries are relative to the average of those found.
      const shown = (score: number | null) => (backend === 'sqlite' ? score?.toFixed(9) : undefined);
      return entries.flatMap(({ key, score }) => (key === 'away' ? [] : [[key, shown(score)]]));
    };
    const agree = async () => expect(await scores({ entity_path: 'zoo/birds' })).toEqual(await scores({}));
    await agree();
    await indexAll();
    await agree();
    expect((await scores({ entity_path: 'zoo/birds' })).map(([key]) => key)).toEqual(['one', 'two']);
  });

  it('shows private entries to their author alone, and no term of a path is found as a word', async () => {
    const own = { entity_path: 'shop/own', key: 'mine', value: 'common gateway words', shared: false };
    await app.call('entries.write', own, { agent_id: 'agent/author' });
    await indexAll();
    expect(await find('shop/own', {}, { agent_id: 'agent/author' })).toEqual(all('mine'));
    expect(await find('shop/own', {}, { agent_id: 'agent/other' })).toEqual(all());
    for (const query of ['b*', 'e*', 'c*'])
      for (const { value, entity_path, key } of (await app.call('entries.search', { query, limit: 50 })).entries)
        expect(`${entity_path} ${key} ${value}`).toMatch(new RegExp(`(^|[^a-z])${query[0]}`));
  });
});
