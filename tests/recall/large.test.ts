import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { longestTurnOf } from '../support/turns.ts';
import { caughtUp } from './caught-up.ts';
import { expectIndexWhole } from './stored-index.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

/** As if these were more entries than are compared one by one. */
const lookUp = (app: TestApp) => Object.assign(app.kernel.services.limits, { max_compared_entries: 5 });

const topics = ['gardens and trees', 'trains and stations', 'soup and bread', 'payments and invoices', 'cats and dogs'];
const texts = Array.from({ length: 60 }, (_, n) => `Note ${n} is about ${topics[n % topics.length]}, part ${n}.`);

/** Answers without what the store numbers by itself. */
const figures = ({ entries, ...rest }: Awaited<ReturnType<typeof ask>>) => ({
  ...rest,
  entries: entries.map(({ key, score, breakdown, passage }) => ({ key, score, breakdown, passage })),
});
const ask = (app: TestApp, query: string, { as = B, ...more }: { as?: object; [field: string]: unknown } = {}) =>
  app.call('entries.retrieve', { query, ...more } as never, as);

describe.each(backends)('a question about more entries than are compared one by one, on %s', (backend) => {
  let hiding: TestApp;
  let plain: TestApp;
  beforeAll(async () => {
    [hiding, plain] = await Promise.all([openTestApp(backend), openTestApp(backend)]);
    for (const app of [hiding, plain]) lookUp(app);
    for (const [n, value] of texts.entries()) {
      for (const app of [hiding, plain])
        await app.call('entries.write', { entity_path: `notes/${n % 3}`, key: `n${n}`, value }, B);
      // Between the others, so that numbers of entries and of the log differ, and so near that they would win.
      if (n % 3 === 0)
        await hiding.call('entries.write', { entity_path: 'notes/0', key: `p${n}`, value, shared: false }, A);
    }
  });
  afterAll(() => Promise.all([hiding.close(), plain.close()]));

  it('has the same answer whatever others hide, before the index has it and after', async () => {
    for (const isIndexed of [false, true]) {
      if (isIndexed) for (const app of [hiding, plain]) await caughtUp(app);
      for (const query of ['railway', 'who wrote about pets?', 'notes on gardening', 'billing', 'note 12']) {
        const [seen, single] = [await ask(hiding, query), await ask(plain, query)];
        expect(seen.entries.length).toBeGreaterThan(0);
        expect(figures(seen)).toEqual(figures(single));
      }
      expect((await ask(hiding, 'note 12', { as: A })).entries.map(({ key }) => key)).toContain('p12');
    }
  });

  it('finds what it is about in the index, as it did one by one', async () => {
    const { entries, index } = await ask(plain, 'railway travel', { neighbours: false });
    expect(index).toEqual({ embedder: expect.any(String), behind: 0 });
    expect(entries[0]?.passage).toContain('trains');
    Object.assign(plain.kernel.services.limits, { max_compared_entries: 1_500 });
    const single = await ask(plain, 'railway travel', { neighbours: false });
    lookUp(plain);
    expect(entries.map(({ key }) => key)).toEqual(single.entries.map(({ key }) => key));
  });

  it('knows what was written and erased since it was last asked', async () => {
    const keys = async () => (await ask(plain, 'railway travel', { neighbours: false })).entries.map(({ key }) => key);
    expect(await keys()).not.toContain('fresh');
    await plain.call('entries.write', { entity_path: 'fresh', key: 'fresh', value: 'Locomotives, by rail.' }, B);
    await caughtUp(plain);
    expect(await keys()).toContain('fresh');
    await plain.call('entries.erase', { entity_path: 'fresh' } as never, B);
    expect(await keys()).not.toContain('fresh');
  });

  it('shows a key nothing outside of its paths', async () => {
    const read = [[{ kind: 'exact' as const, path: 'notes/1' }]];
    const key = { key_id: 'k', name: 'k', type: 'read' as const, read, write: [] };
    const { entries } = await ask(plain, 'railway travel', { as: { ...B, key } });
    expect(entries.length).toBeGreaterThan(0);
    for (const { entity_path } of entries) expect(entity_path).toBe('notes/1');
  });

  it('is asked of an index that has each vector once, through new versions, deletions, erasures and changes of owner', async () => {
    await expectIndexWhole(hiding);
    const at = (n: number) => ({ entity_path: `notes/${n % 3}`, key: `n${n}` });
    await hiding.call('entries.write', { ...at(1), value: 'Cooking with lemons. '.repeat(80) }, B);
    await hiding.call('entries.write', { ...at(2), value: 'now for one agent alone', shared: false }, B);
    await hiding.call('entries.delete', at(4), B);
    await hiding.call('entries.erase', { entity_path: 'notes/2' } as never, B);
    await caughtUp(hiding);
    await expectIndexWhole(hiding);
    await hiding.call('entries.write', { ...at(1), value: 'short again' }, B);
    await caughtUp(hiding);
    await expectIndexWhole(hiding);
  });
});

describe('a question', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    lookUp(app);
  });
  afterAll(() => app.close());

  it('is told how many of the newest entries are known by their words alone', async () => {
    const writes = Array.from({ length: 230 }, (_, n) => ({ entity_path: 'burst', key: `k${n}`, value: `burst ${n}` }));
    await Promise.all(writes.map((write) => app.call('entries.write', write, A)));
    expect((await ask(app, 'burst 3')).index.behind).toBe(30);
    await caughtUp(app);
    expect((await ask(app, 'burst 3')).index.behind).toBe(0);
  });

  it('of as many words as fit, about values of a megabyte, never holds other requests up for long', async () => {
    const words = (n: number) => Array.from({ length: 8_000 }, (_, at) => `word${(at * 7 + n) % 3000} of a text.`);
    const long = (n: number) => words(n).join(' ').repeat(8).slice(0, 1_000_000);
    for (let n = 0; n < 4; n++)
      await app.call('entries.write', { entity_path: 'long', key: `k${n}`, value: long(n) }, A);
    await caughtUp(app);
    const query = words(1).join(' ').slice(0, 4_096);
    expect(await longestTurnOf(() => ask(app, query, { entity_path: 'long' }))).toBeLessThan(50);
    const { entries } = await ask(app, query, { entity_path: 'long', max_tokens: 400 });
    expect(entries.length).toBeGreaterThan(0);
  });
});
