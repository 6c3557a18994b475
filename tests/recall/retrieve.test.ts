import { type Output, operations, stringify } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN_LINEAGE, readContext, SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { retrieve } from '../../packages/server/src/modules/recall/handlers.ts';
import { indexerOf } from '../../packages/server/src/modules/text/indexer.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';
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
  const ask = (query: string, more: object = {}, as: object = A) =>
    app.call('entries.retrieve', { query, ...more }, as);
  const keysOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).entries.map(({ key }) => key);
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const [entity_path, key, value] of memories) await app.call('entries.write', { entity_path, key, value }, A);
  });
  afterAll(() => app.close());

  it('finds what shares no word with it, before the index has it and after, with the same score', async () => {
    const before = await ask('nuts allergy');
    expect(before.entries[0]?.key).toBe('diet');
    await caughtUp(app);
    const after = await ask('nuts allergy');
    expect(after.entries[0]?.key).toBe('diet');
    expect(after.entries[0]?.score).toBe(before.entries[0]?.score);
    expect(after.index).toEqual({ embedder: 'mem-static-256', behind: 0 });
  });

  it('weighs words alike before the index of words has a new version and after', async () => {
    const written = memories.map(([entity_path, key], n) => ({ entity_path, key, value: `zeppelin ${n}` }));
    const shown = async () => (await ask('zeppelin')).entries.map(({ key, breakdown: { words } }) => ({ key, words }));
    const indexer = indexerOf(app.kernel.services);
    for (const round of ['first', 'second']) {
      await app.call(
        'commits.create',
        { writes: written.map((one) => ({ ...one, value: `${one.value} ${round}` })) },
        A,
      );
      const before = await shown();
      expect(before.filter(({ words }) => words > 0)).toHaveLength(written.length);
      indexer?.request(SELF_HOSTED_ACCOUNT);
      await indexer?.drain();
      expect(await shown()).toEqual(before);
    }
    const restored = memories.map(([entity_path, key, value]) => ({ entity_path, key, value }));
    await app.call('commits.create', { writes: restored }, A);
  });

  it('finds what shares words with it', async () => {
    expect((await keysOf('how often do database backups run?'))[0]).toBe('backup');
    expect((await keysOf('who is paged after retries?'))[0]).toBe('retry');
  });

  it('gets scores in order, whose parts add up', async () => {
    const { entries } = await ask('database backups');
    expect(entries.length).toBeGreaterThan(0);
    for (const { score, breakdown } of entries)
      expect(Object.values(breakdown).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 4);
    const scores = entries.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const query of ['database backups', 'nuts allergy', 'athletics', 'window'])
      for (const { score } of (await ask(query)).entries) expect(score).toBeGreaterThanOrEqual(0);
  });

  it('is answered within the filters', async () => {
    expect(await keysOf('nuts allergy', { entity_path: 'shop/**' })).not.toContain('diet');
    expect(await keysOf('nuts allergy', { entity_path: 'people', include_descendants: true })).toContain('diet');
    expect(await keysOf('nuts allergy', { agent_id: 'agent/b' })).toEqual([]);
    expect(await keysOf('nuts allergy', { memory_type: 'procedure' })).toEqual([]);
    expect(await keysOf('nuts allergy', { until: '2020-01-01' })).toEqual([]);
    expect((await ask('Maria', { limit: 1 })).entries).toHaveLength(1);
    const marked = { entity_path: 'people/maria', key: 'seat', value: 'Maria sits at the aisle.', confidence: 0.2 };
    await app.call('entries.write', { ...marked, pattern_refs: ['p1'] }, A);
    expect(await keysOf('where does Maria sit?', { pattern_ref: 'p1' })).toEqual(['seat']);
    expect(await keysOf('nuts allergy of Maria', { max_confidence: 0.3 })).toEqual(['seat']);
    expect(await keysOf('where does Maria sit?', { min_confidence: 0.3 })).not.toContain('seat');
    await app.call('entries.delete', { entity_path: 'people/maria', key: 'seat' }, A);
  });

  it('finds a new version instead of the old one, and nothing of a deleted entry', async () => {
    const at = { entity_path: 'people/jonas', key: 'sport' };
    await app.call('entries.write', { ...at, value: 'Jonas has taken up knitting.' }, A);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await caughtUp(app);
      expect((await ask('does Jonas like sewing or knitwear?')).entries[0]?.value).toBe('Jonas has taken up knitting.');
      expect(JSON.stringify((await ask('athletics race')).entries)).not.toContain('marathon');
    }
    await app.call('entries.delete', at, A);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await caughtUp(app);
      expect(await keysOf('does Jonas like sewing or knitwear?')).not.toContain('sport');
    }
  });

  it('with a time prefers what was written then, and says which time', async () => {
    const { entries, time } = await ask('what did we learn about backups yesterday?');
    expect(time).toMatchObject({ phrase: 'yesterday' });
    for (const { breakdown } of entries) expect(breakdown.recency).toBeGreaterThanOrEqual(0);
    expect((await ask('what about backups?')).entries[0]?.breakdown.recency).toBe(0);
    app.clock.advance(30 * 86_400_000);
    const at = { entity_path: 'infra/database', key: 'restore' };
    await app.call('entries.write', { ...at, value: 'Restoring database backups takes an hour.' }, A);
    const [first] = (await ask('database backups, today')).entries;
    expect(first).toMatchObject({ key: 'restore' });
    expect(first?.breakdown.recency).toBeGreaterThan(0);
  });

  it('that is only a time lists the newest of that time', async () => {
    const everything = await ask('What was written today?', { limit: 100 });
    const keys = everything.entries.map(({ key }) => key);
    expect(keys).toEqual(['restore']);
    expect(everything).toMatchObject({ time: { phrase: 'today' }, answerability: { chance: null }, skipped: [] });
    expect(everything.entries[0]?.score).toBeGreaterThan(0);
    const month = await ask("what's new in the last 60 days?", { entity_path: 'people/**' });
    expect(month.entries.map(({ key }) => key)).toEqual(['travel', 'diet']);
    expect(await keysOf('What was written today?', { agent_id: 'agent/b' })).toEqual([]);
    expect(await keysOf('what was written in the last 60 days?', { limit: 1 })).toEqual(['restore']);
  });

  it('shows the passage of a long value that fits, and fills a budget with whole passages', async () => {
    const filler = (topic: string) => `${topic} is described here in a sentence that says little. `.repeat(20);
    const value = `${filler('Parking')}\n${filler('Furniture')}\nThe wifi password is changed on Mondays. ${filler('Heating')}`;
    await app.call('entries.write', { entity_path: 'office', key: 'guide', value }, A);
    const hit = (await ask('when does the wifi password change?')).entries.find(({ key }) => key === 'guide');
    expect(hit).toMatchObject({ key: 'guide', value });
    expect(hit?.passage).toContain('wifi password is changed on Mondays');
    expect(hit?.passage.length).toBeLessThan(1300);
    const small = await ask('when does the wifi password change?', { max_tokens: 40 });
    expect(small.tokens).toBeLessThanOrEqual(40);
    expect(small.left_out).toContainEqual({ entity_path: 'office', key: 'guide', tokens: hit?.tokens });
    for (const entry of small.entries) expect(entry).not.toHaveProperty('value');
  });

  it('ends look-ups after max_ms, and says what was left undone', async () => {
    const input = operations['entries.retrieve'].input.parse({ query: 'Maria, peanuts', max_ms: 60_000 });
    const context = readContext(app.kernel.services, caller(A), MAIN_LINEAGE);
    /** Time is up when it was asked for so many times. */
    const answerIn = async (looks: number) => {
      let looked = 0;
      const answer = await retrieve({ ...context, elapsed: () => (looked++ < looks ? 0 : 60_000), note() {} }, input);
      return JSON.parse(stringify(answer)) as Output<'entries.retrieve'>;
    };
    const steps = ['meaning', 'neighbours', 'related', 'passages'];
    const seen = new Set<string>();
    for (let looks = 0; looks < 14; looks++) {
      const { entries, skipped, index, answerability } = await answerIn(looks);
      const isCompared = !skipped.includes('meaning');
      expect(skipped).toEqual(steps.slice(steps.length - skipped.length));
      expect(index.embedder !== null).toBe(isCompared);
      expect(answerability.chance !== null).toBe(isCompared);
      expect(entries[0]).toMatchObject({ key: 'diet', passage: expect.stringContaining('peanuts') });
      seen.add(skipped.join());
    }
    expect(seen.size).toBe(steps.length + 1);
    expect((await ask('nuts allergy', { max_ms: 60_000 })).skipped).toEqual([]);
  });

  it('about an earlier state is answered by meaning too', async () => {
    await app.call('tags.create', { name: 'before' }, A);
    const { entries, index } = await ask('nuts allergy', { branch: 'tags/before' });
    expect(entries[0]?.key).toBe('diet');
    expect(index).toEqual({ embedder: 'mem-static-256', behind: 0 });
  });

  it('counts its first entry as recalled, and is noted in the session', async () => {
    const as = { ...A, session_id: 'asking' };
    const count = async () =>
      (await app.call('entries.list', { entity_path: 'infra/network' }, B)).entries[0]?.recall_count as number;
    await app.kernel.services.noteBuffer.flushAll();
    const before = await count();
    await ask('TLS certificate renewal', {}, as);
    await app.kernel.services.noteBuffer.flushAll();
    expect(await count()).toBe(before + 1);
    expect(JSON.stringify(await app.call('sessions.explain', {}, as))).toContain('"operation":"retrieve"');
  });

  it('has refuted entries apart', async () => {
    const at = { entity_path: 'infra/database', key: 'tip' };
    await app.call('entries.write', { ...at, value: 'Vacuum the database by hand each day.' }, A);
    const failed = { outcome_ref: 'failed', outcome_type: 'failure' as const, causal_entry_keys: [at] };
    await app.call('outcomes.commit', failed, { ...B, session_id: 'work' });
    expect(await app.call('entries.read', at, A)).toMatchObject({ evidence_status: 'discredited' });
    const { entries, avoid } = await ask('should I vacuum the database?');
    expect(entries.map(({ key }) => key)).not.toContain('tip');
    expect(avoid.map(({ key }) => key)).toEqual(['tip']);
    expect((await ask('should I vacuum the database?', { include_avoid: false })).avoid).toEqual([]);
    const among = await ask('should I vacuum the database?', { include_discredited: true });
    expect(among.entries.map(({ key }) => key)).toContain('tip');
    expect(among.avoid).toEqual([]);
    const budget = await ask('should I vacuum the database?', { max_tokens: 1 });
    expect(budget).toMatchObject({ entries: [], avoid: [], tokens: 0 });
    expect(budget.left_out).toContainEqual({ ...at, tokens: expect.any(Number), avoid: true });
    const whole = await ask('should I vacuum the database?', { max_tokens: 10_000 });
    const passages = [...whole.entries, ...whole.avoid];
    expect(whole.tokens).toBe(passages.reduce((sum, { tokens }) => sum + tokens, 0));
  });

  it('has only what comes near to a best entry that was confirmed, and only tiers, where asked for', async () => {
    const at = { entity_path: 'infra/database', key: 'index' };
    await app.call('entries.write', { ...at, value: 'Slow database queries need an index.' }, A);
    const worked = { outcome_ref: 'worked', outcome_type: 'success' as const, causal_entry_keys: [at] };
    await app.call('outcomes.commit', worked, { ...B, session_id: 'more work' });
    const query = 'what do slow database queries need?';
    const all = await ask(query);
    expect(all.entries[0]).toMatchObject({ key: 'index', evidence_status: 'validated' });
    const few = await ask(query, { adaptive_k: true });
    const least = 0.85 * (all.entries[0]?.score as number);
    expect(few.entries).toHaveLength(all.entries.filter(({ score }) => score >= least).length);
    expect(few.entries.length).toBeLessThan(all.entries.length);
    expect(few.answerability).toEqual(all.answerability);
    expect(await keysOf(query, { depth: 2 })).toEqual([]);
    expect(await keysOf(query, { depth: 3 })).toContain('index');
  });
});

describe.each(backends)('a conversation, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    const turns = ['Good morning!', 'Where shall we meet for the picnic?', 'At the old mill.', 'Fine, see you there.'];
    const filler = ['The weather is mild.', 'I bought new shoes.', 'My sister called.', 'The train was late.'];
    for (const [n, value] of [...filler, ...turns, ...filler].entries())
      await app.call('entries.write', { entity_path: 'chat', key: `turn-${n}`, value }, { ...A, session_id: 'chat-1' });
    await caughtUp(app);
  });
  afterAll(() => app.close());

  it('lends the score of a turn to those around it, where entries are a sequence, and not when told otherwise', async () => {
    const query = 'where is the picnic?';
    const { entries } = await app.call('entries.retrieve', { query }, A);
    const answer = entries.find(({ key }) => key === 'turn-6');
    expect(answer?.breakdown.neighbours).toBeGreaterThan(0.1);
    const single = await app.call('entries.retrieve', { query, neighbours: false }, A);
    for (const { breakdown } of single.entries) expect(breakdown.neighbours).toBe(0);
  });
});

describe.each(backends)('what others may not see, on %s', (backend) => {
  it('changes no score, order or count of an answer, however near it is', async () => {
    const stores = await Promise.all([openTestApp(backend), openTestApp(backend)]);
    const [hiding, empty] = stores;
    for (const app of stores)
      for (const [entity_path, key, value] of memories) await app.call('entries.write', { entity_path, key, value }, B);
    const secret = { entity_path: 'people/maria', key: 'copy', shared: false };
    await hiding.call(
      'entries.write',
      { ...secret, value: 'Maria is allergic to peanuts and carries an injector!' },
      A,
    );
    for (const isIndexed of [false, true]) {
      if (isIndexed) for (const app of stores) await caughtUp(app);
      for (const [query, entity_path] of [
        ['nuts allergy'],
        ['is Maria allergic to peanuts?'],
        ['injector'],
        ['Maria, Jonas and the database', 'people/*'],
      ]) {
        const question = { query: query as string, ...(entity_path ? { entity_path } : {}) };
        const [seen, single] = await Promise.all(stores.map((app) => app.call('entries.retrieve', question, B)));
        const figures = (answer: typeof seen) =>
          answer && {
            ...answer,
            entries: answer.entries.map(({ key, score, breakdown }) => ({ key, score, breakdown })),
          };
        expect(figures(seen)).toEqual(figures(single));
        const own = await hiding.call('entries.retrieve', question, A);
        expect(own.entries.map(({ key }) => key)).toContain('copy');
      }
    }
    for (const app of [hiding, empty]) await app.close();
  });
});
