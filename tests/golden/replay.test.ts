import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const at = (key: string, entity_path = 'shop/pay') => ({ entity_path, key });
const DAY = 86_400_000;

const facts: [key: string, value: string][] = [
  ['retry', 'a failed payment is retried three times'],
  ['owner', 'the payments team owns the gateway'],
  ['limit', 'a cart holds at most ninety articles'],
  ['colour', 'the banner of the shop is green in spring'],
];

describe.each(backends)('golden queries that are asked again, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const [key, value] of facts) await app.call('entries.write', { ...at(key), value }, A);
    await app.call('golden.create', { question: 'how often is a payment retried?', ...at('retry') }, A);
    await app.call('golden.create', { question: 'who owns the gateway?', ...at('owner') }, A);
  });
  afterAll(() => app.close());

  /** Asks them again, as on the next day. */
  const nextDay = async () => {
    app.clock.advance(DAY + 1);
    await app.jobs.sweep();
  };
  const figures = async (as: object = A) => (await app.call('stats.read', {}, as)).retrieval;

  it('are none before, and no request waits for them', async () => {
    expect(await figures()).toMatchObject({ golden_queries: 2, replayed: 0, recall_at_10: null, mrr: null });
  });

  it('give recall and mean reciprocal rank, once a day, and nothing of it is noted', async () => {
    await nextDay();
    const first = await figures();
    expect(first).toMatchObject({
      ...{ golden_queries: 2, replayed: 2, recall_at_5: 1, recall_at_10: 1, mrr: 1 },
      ...{ stale_hit_rate: 0, duplicate_rate: 0, weights: 'default' },
    });
    const { golden_queries } = await app.call('golden.list', {}, B);
    expect(golden_queries.map(({ rank, stale }) => ({ rank, stale }))).toEqual([
      { rank: 1, stale: false },
      { rank: 1, stale: false },
    ]);
    app.clock.advance(60_000);
    await app.jobs.sweep();
    expect((await figures())?.replayed_at).toBe(first?.replayed_at);
    expect(await app.call('entries.read', at('retry'), A)).toMatchObject({ recall_count: 0 });
  });

  it('show the same to others, whatever an agent keeps to itself', async () => {
    const before = await figures(B);
    // Nearly the same, and better.
    const secret = { value: 'how often is a payment retried? it is retried three times', shared: false };
    await app.call('entries.write', { ...at('mine'), ...secret }, A);
    await app.call('entries.write', { ...at('mine-too'), ...secret }, A);
    await app.call('golden.create', { question: 'how often is a payment retried in secret?', ...at('mine') }, A);
    await nextDay();
    expect({ ...(await figures(B)), replayed_at: null }).toEqual({ ...before, replayed_at: null });
    expect(await figures(A)).toMatchObject({ golden_queries: 3 });
    for (const key of ['mine', 'mine-too']) await app.call('entries.erase', at(key) as never, A);
  });

  it('count what repeats, and what was replaced or refuted', async () => {
    await app.call('entries.write', { ...at('copy'), value: 'A failed payment is retried three times!' }, A);
    await app.call('entries.write', { ...at('owner'), value: 'the gateway is owned by nobody in particular' }, A);
    await nextDay();
    const after = await figures();
    expect(after).toMatchObject({ golden_queries: 2, stale_hit_rate: 0.5, recall_at_10: 1 });
    expect(after?.duplicate_rate).toBeGreaterThan(0);
    expect((await app.call('golden.list', { entity_path: 'shop/**' }, A)).golden_queries).toMatchObject([
      { ...at('owner'), stale: true },
      { ...at('retry'), stale: false },
    ]);
  });

  it('go when their entry is deleted', async () => {
    await app.call('entries.delete', at('owner'), A);
    expect(await figures()).toMatchObject({ golden_queries: 1 });
    await nextDay();
    await app.call('entries.write', { ...at('owner'), value: 'the payments team owns the gateway' }, A);
    expect(await figures()).toMatchObject({ golden_queries: 1, stale_hit_rate: 0 });
  });

  it('are not shown as figures to a key with a scope', async () => {
    const glob = { kind: 'below', base: 'shop' } as const;
    const key = { key_id: 'k', name: 'k', type: 'agent' as const, read: [[glob]], write: [[glob]] };
    expect(await figures({ ...A, key })).toBeNull();
    const { golden_queries } = await app.call('golden.list', {}, { ...A, key });
    expect(golden_queries).toMatchObject([{ ...at('retry'), rank: null }]);
  });
});

describe.each(backends)('weights, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (let n = 0; n < 24; n++) {
      const name = `module${n}`;
      await app.call('entries.write', { ...at(name, 'code'), value: `${name} is maintained by team ${n % 5}` }, A);
      await app.call('golden.create', { question: `who maintains ${name}?`, ...at(name, 'code') }, A);
    }
  });
  afterAll(() => app.close());

  const weightsUsed = async (more: object = {}) =>
    (await app.call('entries.retrieve', { query: 'who maintains module3?', ...more }, A)).weights;

  it('are the default ones unless an account wants them fitted, or a request names others', async () => {
    await app.jobs.sweep();
    expect(await app.call('retrieval.read', {}, A)).toMatchObject({
      fit_weights: false,
      weights: null,
      fitted_at: null,
    });
    expect(await weightsUsed()).toEqual({
      ...{ source: 'default', semantic_weight: 0.5, confidence_weight: 0.2, evidence_weight: 0.15 },
    });
    const given = { semantic_weight: 0.1, confidence_weight: 0, evidence_weight: 1 };
    expect(await weightsUsed(given)).toEqual({ source: 'given', ...given });
  });

  it('are fitted on one half and compared on the other, and used only if they are not worse there', async () => {
    await app.call('retrieval.set', { fit_weights: true }, A);
    app.clock.advance(1000);
    await app.jobs.sweep();
    const fitted = await app.call('retrieval.read', {}, A);
    expect(fitted).toMatchObject({ fit_weights: true, fitted_at: expect.any(String) });
    expect((fitted.fitted_on ?? 0) + (fitted.held_out ?? 0)).toBe(24);
    expect(fitted.mrr_default).toBeGreaterThan(0.5);
    if (fitted.weights) expect(fitted.mrr_fitted).toBeGreaterThanOrEqual(fitted.mrr_default as number);
    const { source, ...weights } = await weightsUsed();
    expect(source).toBe(fitted.weights ? 'fitted' : 'default');
    if (fitted.weights) expect(weights).toEqual(fitted.weights);
    expect((await app.call('stats.read', {}, A)).retrieval?.weights).toBe(source);
  });

  it('are forgotten when they are not wanted any more', async () => {
    const { database } = app.kernel.services;
    await app.call('retrieval.set', { fit_weights: false }, A);
    expect(await app.call('retrieval.read', {}, A)).toMatchObject({
      fit_weights: false,
      weights: null,
      fitted_on: null,
    });
    expect(await database.read.all({ text: 'SELECT name FROM fitted_weights', values: [] })).toEqual([]);
    expect(await weightsUsed()).toMatchObject({ source: 'default' });
  });
});
