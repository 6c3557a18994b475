import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { namedBranches } from '../support/lineages.ts';
import { caughtUp } from './caught-up.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

const { lineages, branches } = namedBranches();

const memories: [path: string, key: string, value: string][] = [
  ['people/maria', 'diet', 'Maria is allergic to peanuts and carries an injector.'],
  ['people/maria', 'travel', 'Maria prefers window seats on long flights.'],
  ['people/jonas', 'sport', 'Jonas runs a marathon every spring.'],
  ['shop/checkout', 'outage', 'Checkout returned errors because the connection pool was exhausted.'],
  ['shop/search', 'ranking', 'Search results are ordered by popularity.'],
  ['infra/database', 'backup', 'Backups of the database run every night at two.'],
];

const questions: { query: string; [field: string]: unknown }[] = [
  { query: 'nuts allergy' },
  { query: 'does Maria like long flights?', neighbours: true },
  { query: 'athletics' },
  { query: 'Maria and Jonas and the database', entity_path: 'people/**' },
  { query: 'why did checkout fail?', agent_id: A.agent_id, limit: 3 },
];

describe.each(backends)('a question about an earlier state or a branch, on %s', (backend) => {
  let app: TestApp;
  const ask = async (question: object, branch = 'main', as: object = A) => {
    const { entries, answerability, index } = await app.call('entries.retrieve', { ...question, branch } as never, as);
    const shown = entries.map(({ key, value, score, breakdown, passage }) => ({
      key,
      value,
      score,
      breakdown,
      passage,
    }));
    return { entries: shown, answerability, index };
  };
  const write = (key: string, value: string, more: object = {}) =>
    app.call('entries.write', { entity_path: 'people/maria', key, value, ...more }, A);
  const seqNow = async () => (await app.call('stats.read', {}, A)).last_seq;
  const first = async (query: string, branch: string) => (await ask({ query }, branch)).entries[0]?.value;
  let then: Awaited<ReturnType<typeof ask>>[];

  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [branches] });
    for (const [entity_path, key, value] of memories) await app.call('entries.write', { entity_path, key, value }, A);
    await app.call('entries.write', { entity_path: 'people', key: 'secret', value: 'Nuts!', shared: false }, B);
    await caughtUp(app);
    then = [];
    for (const question of questions) then.push(await ask(question));
    const fork = await seqNow();
    lineages.set('then', [{ branch: 'main', up_to_seq: fork }]);
    lineages.set('dev', [
      { branch: 'dev', up_to_seq: null },
      { branch: 'main', up_to_seq: fork },
    ]);
    await write('diet', 'Maria collects stamps.');
    await write('sport', 'Jonas knits.', { entity_path: 'people/jonas' });
    await app.call('entries.delete', { entity_path: 'shop/checkout', key: 'outage' }, A);
    await write('new', 'A nut allergy is being tested.');
    await write('diet', 'Maria is allergic to cats.', { branch: 'dev' });
  });
  afterAll(() => app.close());

  it('is answered as it was then, before the index has what came after and when it has', async () => {
    for (const isIndexed of [false, true]) {
      if (isIndexed) await caughtUp(app);
      for (const [at, question] of questions.entries()) expect(await ask(question, 'then')).toEqual(then[at]);
    }
  });

  it('is answered from what the branch changed, and from what it was made from', async () => {
    expect(await first('which animals make Maria ill?', 'dev')).toBe('Maria is allergic to cats.');
    expect(await first('athletics race', 'dev')).toBe('Jonas runs a marathon every spring.');
    const { entries, index } = await ask({ query: 'nuts allergy' }, 'dev');
    expect(entries.map(({ key }) => key)).not.toContain('new');
    expect(JSON.stringify(entries)).not.toContain('peanuts');
    expect(index).toEqual({ embedder: 'mem-static-256', behind: 0 });
  });

  it('finds by meaning where there are more entries than are compared one by one', async () => {
    Object.assign(app.kernel.services.limits, { max_compared_entries: 2 });
    expect(await first('athletics race', 'then')).toBe('Jonas runs a marathon every spring.');
    expect(await first('nuts', 'then')).toBe('Maria is allergic to peanuts and carries an injector.');
    expect(await first('airplane', 'then')).toBe('Maria prefers window seats on long flights.');
    expect(await first('which animals make Maria ill?', 'dev')).toBe('Maria is allergic to cats.');
    expect(JSON.stringify(await ask({ query: 'nuts allergy' }, 'then'))).not.toContain('being tested');
    Object.assign(app.kernel.services.limits, { max_compared_entries: 1_500 });
  });
});
