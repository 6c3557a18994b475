import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RerankingServer } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';
import { always, type ModelServer, startModelServer } from '../support/model-server.ts';
import { caughtUp } from './caught-up.ts';
import { ask, B, fillHouse, KEY, settingsFor, writeAs } from './house.ts';

const QUERY = 'the dentist, the bicycle, the lamp, the bread, the rent and the door';
const reranker = (models: ModelServer, more: Partial<RerankingServer> = {}): RerankingServer => ({
  ...{ kind: 'cohere', url: `${models.url}/v2/rerank`, model: 'rerank-1', key: KEY, top: 4, timeout_ms: 2_000 },
  ...more,
});

describe.each(backends)('a reranker, on %s', (backend) => {
  let models: ModelServer;
  let place: StorePlace;
  let app: TestApp;
  let plain: TestApp;
  beforeAll(async () => {
    models = await startModelServer();
    place = await readyPlace(backend);
    app = await openTestApp(backend, { place, settings: { reranking_server: reranker(models) } });
    plain = await openTestApp(backend, { place, clock: app.clock });
    await fillHouse(app, B);
    const hidden = { key: 'hidden', value: 'the dentist and the bicycle of somebody', shared: false };
    await writeAs(app, hidden, B);
    await caughtUp(app);
  });
  afterAll(async () => {
    await plain.close();
    await app.close();
    await place.remove();
    await models.close();
  });
  beforeEach(() => {
    models.misbehaves = undefined;
    app.clock.advance(3_600_000);
  });

  it('puts the best entries into its order, and the breakdown still adds up', async () => {
    const { entries, reranker: used } = await ask(app, QUERY, { limit: 6, confidence_weight: 0 });
    expect(used).toEqual({ model: 'rerank-1', reordered: 4, failure: null });
    for (const { score, breakdown } of entries)
      expect(Object.values(breakdown).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 3);
    expect(entries.map(({ score }) => score)).toEqual(entries.map(({ score }) => score).sort((a, b) => b - a));
    expect(entries.some(({ breakdown }) => breakdown.rerank !== 0)).toBe(true);
    const before = (await ask(plain, QUERY, { limit: 6, confidence_weight: 0 })).entries.map(({ key }) => key);
    const textOf = ({ entity_path, key, passage }: (typeof entries)[number]) => `${entity_path} ${key}\n${passage}`;
    const first = entries.slice(0, 4);
    expect(new Set(first.map(({ key }) => key))).toEqual(new Set(before.slice(0, 4)));
    const lengths = first.map((entry) => textOf(entry).length);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect(entries.slice(4).map(({ key }) => key)).toEqual(before.slice(4));
  });

  it('gets the question, passages and its key, and nothing that the caller may not see', async () => {
    models.requests.length = 0;
    await ask(app, QUERY);
    const [request] = models.requests;
    expect(request).toMatchObject({ path: '/v2/rerank', authorization: `Bearer ${KEY}` });
    expect(request?.body).toMatchObject({ model: 'rerank-1', query: QUERY, top_n: 4 });
    expect(request?.body.documents).toHaveLength(4);
    expect(JSON.stringify(models.requests)).not.toContain('somebody');
    await app.call('entries.retrieve', { query: QUERY }, B);
    expect(JSON.stringify(models.requests)).toContain('somebody');
  });

  it.each([
    ['is late', 'timeout', () => new Promise<boolean>(() => {})],
    ['fails', 'unreachable', always(500, {})],
    ['names entries that are not there', 'bad_answer', always(200, { results: [{ index: 9, relevance_score: 1 }] })],
    ['names an entry twice', 'bad_answer', always(200, { results: [score(1), score(1)] })],
    ['scores with what is no number', 'bad_answer', always(200, { results: [{ index: 0, relevance_score: 'NaN' }] })],
  ] as const)('that %s leaves the order as it was, and the answer says why', async (_, failure, misbehaves) => {
    models.misbehaves = misbehaves;
    const more = failure === 'timeout' ? { max_ms: 1_500 } : {};
    const { entries, reranker: used } = await ask(app, QUERY, more);
    expect(used).toEqual({ model: 'rerank-1', reordered: 0, failure });
    expect(entries.map(({ key }) => key)).toEqual((await ask(plain, QUERY)).entries.map(({ key }) => key));
    expect(entries.every(({ breakdown }) => breakdown.rerank === 0)).toBe(true);
  });

  it('of TEI is asked in its own words; what it leaves out comes last', async () => {
    const settings = { reranking_server: reranker(models, { kind: 'tei', url: `${models.url}/rerank`, model: '' }) };
    const tei = await openTestApp(backend, { place, clock: app.clock, settings });
    models.requests.length = 0;
    const { reranker: used } = await ask(tei, QUERY);
    expect(used).toEqual({ model: 'tei', reordered: 4, failure: null });
    expect(models.requests[0]?.body.texts).toHaveLength(4);
    models.misbehaves = always(200, [{ index: 3, score: 0.5 }]);
    const best = (await ask(plain, QUERY)).entries.map(({ key }) => key);
    expect((await ask(tei, QUERY, { confidence_weight: 0 })).entries[0]?.key).toBe(best[3]);
    await tei.close();
  });
});

function score(index: number) {
  return { index, relevance_score: 1 };
}

describe.each(backends)('what others may not see, with a model outside the service, on %s', (backend) => {
  it('changes no score or order, and its text is in nobody else’s request', async () => {
    const models = await startModelServer();
    const settings = settingsFor(models);
    const stores = await Promise.all([openTestApp(backend, { settings }), openTestApp(backend, { settings })]);
    const [hiding] = stores;
    for (const app of stores) await fillHouse(app, B);
    await writeAs(hiding as TestApp, { key: 'copy', value: 'The dentist is in Mill Street!', shared: false }, B);
    for (const app of stores) await caughtUp(app);
    for (const query of ['Zahnarzt', 'is the dentist in Mill Street?']) {
      const [seen, single] = await Promise.all(stores.map((app) => ask(app, query)));
      const figures = (answer: typeof seen) =>
        answer && { ...answer, entries: answer.entries.map(({ key, score, breakdown }) => [key, score, breakdown]) };
      expect(figures(seen)).toEqual(figures(single));
      const own = await (hiding as TestApp).call('entries.retrieve', { query }, B);
      expect(own.entries.map(({ key }) => key)).toContain('copy');
    }
    for (const app of stores) await app.close();
    await models.close();
  });
});
