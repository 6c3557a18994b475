import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { caughtUp } from './caught-up.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

const memories: [path: string, key: string, value: unknown][] = [
  ['people/maria', 'diet', 'Maria is allergic to peanuts and carries an injector.'],
  ['people/maria', 'travel', 'Maria prefers window seats on long flights.'],
  ['people/jonas', 'sport', 'Jonas runs a marathon every spring.'],
  ['shop/checkout', 'retry', { policy: 'retry three times, then page the payments team', owner: 'payments' }],
  ['shop/checkout', 'outage', 'Checkout returned errors because the connection pool was exhausted.'],
  ['shop/search', 'ranking', 'Search results are ordered by popularity.'],
  ['infra/database', 'backup', 'Backups of the database run every night at two.'],
  ['infra/network', 'certificate', 'The TLS certificate is renewed automatically each month.'],
];

describe.each(backends)('a question, on %s', (backend) => {
  let app: TestApp;
  const keysOf = async (query: string, more: object = {}) =>
    (await app.call('entries.retrieve', { query, ...more }, A)).entries.map(({ key }) => key);
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const [entity_path, key, value] of memories) await app.call('entries.write', { entity_path, key, value }, A);
  });
  afterAll(() => app.close());

  it('finds what shares no word with it, before the index has it and after', async () => {
    const before = await app.call('entries.retrieve', { query: 'nuts allergy' }, A);
    expect(before.entries[0]?.key).toBe('diet');
    await caughtUp(app);
    const after = await app.call('entries.retrieve', { query: 'nuts allergy' }, A);
    expect(after.entries[0]?.key).toBe('diet');
    expect(after.entries[0]?.score).toBe(before.entries[0]?.score);
    expect(after.index).toEqual({ embedder: 'mem-static-256', behind: 0 });
  });

  it('finds what shares words with it', async () => {
    expect((await keysOf('how often do database backups run?'))[0]).toBe('backup');
    expect((await keysOf('who is paged after retries?'))[0]).toBe('retry');
  });

  it('gets scores whose parts add up', async () => {
    const { entries } = await app.call('entries.retrieve', { query: 'database backups' }, A);
    expect(entries.length).toBeGreaterThan(0);
    for (const { score, breakdown } of entries)
      expect(Object.values(breakdown).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 4);
    expect(entries.map(({ score }) => score)).toEqual(entries.map(({ score }) => score).sort((a, b) => b - a));
  });
  void B;
});
