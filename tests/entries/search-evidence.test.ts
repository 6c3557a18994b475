import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { evidenceRank, evidenceStatus, UNTOUCHED } from '../../packages/server/src/modules/entries/index.ts';
import { evidenceRankIn } from '../../packages/server/src/modules/search/queries.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author', session_id: 'writing' };
const OTHER = { agent_id: 'agent/other', session_id: 'work' };
const at = (key: string) => ({ entity_path: 'shop/pay', key });

describe.each(backends)('evidence in the order of a search, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  const write = (key: string, value = `gateway rule ${key}`, confidence?: number) =>
    app.call('entries.write', { ...at(key), value, ...(confidence === undefined ? {} : { confidence }) }, AUTHOR);
  let refs = 0;
  const report = (key: string, outcome_type: 'success' | 'failure' | 'minor_failure') =>
    app.call('outcomes.commit', { outcome_ref: `r${++refs}`, outcome_type, causal_entry_keys: [at(key)] }, OTHER);
  const found = async (input: Record<string, unknown>) =>
    (await app.call('entries.search', input)).entries.map(({ key }) => key);

  /** Written so that the order of time is against the order of evidence. */
  async function writeAll() {
    for (const key of ['good', 'plain', 'doubted', 'bad']) await write(key);
    await report('good', 'success');
    await report('bad', 'failure');
    for (const type of ['success', 'success', 'success', 'failure'] as const) await report('doubted', type);
    await report('doubted', 'minor_failure');
    for (const type of ['success', 'success'] as const) await report('doubted', type);
  }

  it('on equal words validated comes before untested, contested and discredited', async () => {
    await writeAll();
    const { entries } = await app.call('entries.search', { query: 'gateway rule' });
    expect(entries.map(({ key, evidence_status }) => [key, evidence_status])).toEqual([
      ['good', 'validated'],
      ['plain', 'untested'],
      ['doubted', 'contested'],
      ['bad', 'discredited'],
    ]);
    expect(await found({ query: 'gateway rule', limit: 1 })).toEqual(['good']);
  });

  it('a validated entry is found first among many with the same words', async () => {
    await write('proven', 'wombat procedure text');
    const writes = Array.from({ length: 60 }, (_, i) => ({ ...at(`k${i}`), value: 'wombat procedure text' }));
    await app.call('commits.create', { writes }, AUTHOR);
    await report('proven', 'success');
    await report('k59', 'failure');
    expect((await found({ query: 'wombat', limit: 10 }))[0]).toBe('proven');
    expect((await found({ query: 'wombat', limit: 100 })).at(-1)).toBe('k59');
  });

  it('better words still win, except over what is discredited', async () => {
    await write('thin', `gateway ${'and many other words about nothing '.repeat(8)}`);
    await write('full', 'gateway gateway timeout');
    await write('refuted', 'gateway gateway timeout gateway');
    await report('thin', 'success');
    await report('refuted', 'failure');
    expect(await found({ query: 'gateway timeout' })).toEqual(['full', 'thin', 'refuted']);
  });

  it('sort_by confidence puts evidence first, with and without words', async () => {
    await writeAll();
    await write('claimed', 'gateway rule claimed', 1);
    const order = ['good', 'claimed', 'plain', 'doubted', 'bad'];
    expect(await found({ query: 'gateway', sort_by: 'confidence' })).toEqual(order);
    expect(await found({ sort_by: 'confidence' })).toEqual(order);
    expect(await found({})).toEqual(order);
  });

  it('pages agree with the whole, also where evidence moves hits', async () => {
    const writes = Array.from({ length: 130 }, (_, i) => ({ ...at(`k${i}`), value: `gateway rule number ${i}` }));
    await app.call('commits.create', { writes }, AUTHOR);
    for (const i of [3, 40, 77, 99, 110]) await report(`k${i}`, 'success');
    for (const i of [5, 60, 125]) await report(`k${i}`, 'failure');
    const whole = await found({ query: 'gateway rule', limit: 200 });
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { entries: { key: string }[]; next_cursor: string | null } = await app.call('entries.search', {
        query: 'gateway rule',
        limit: 17,
        ...(cursor === null ? {} : { cursor }),
      });
      paged.push(...page.entries.map(({ key }) => key));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole);
    expect(new Set(paged).size).toBe(130);
  });

  it('what was untested in one search counts as tested in the next, whoever reports, and writes in between', async () => {
    for (const key of ['one', 'two', 'three']) await write(key);
    expect(await found({ query: 'gateway rule' })).toEqual(['three', 'two', 'one']);
    await write('four');
    expect(await found({ query: 'gateway rule' })).toEqual(['four', 'three', 'two', 'one']);
    const other = await openTestApp(backend, { place: app.place });
    try {
      const causal_entry_keys = [at('one')];
      await other.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success', causal_entry_keys }, OTHER);
      await other.call('entries.write', { ...at('five'), value: 'gateway rule five' }, AUTHOR);
    } finally {
      await other.close();
    }
    expect(await found({ query: 'gateway rule' })).toEqual(['one', 'five', 'four', 'three', 'two']);
  });

  it('a search of an agent that cannot see an entry does not hide its evidence from its author', async () => {
    await app.call('entries.write', { ...at('own'), value: 'gateway rule own', shared: false }, AUTHOR);
    await write('plain');
    const causal_entry_keys = [at('own')];
    await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'success', causal_entry_keys }, AUTHOR);
    const keys = async (as: typeof AUTHOR) =>
      (await app.call('entries.search', { query: 'gateway rule' }, as)).entries.map(({ key }) => key);
    expect(await keys(OTHER)).toEqual(['plain']);
    expect(await keys(AUTHOR)).toEqual(['own', 'plain']);
  });

  it('the rank in SQL is the rank of the rule', async () => {
    await write('one');
    const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
    const count = fc.integer({ min: 0, max: 6 });
    const mass = fc.double({ min: 0, max: 6, noNaN: true });
    const standing = fc.record({
      outcome_count: count,
      success_count: count,
      failure_count: count,
      evidence_success: mass,
      evidence_failure: mass,
      discredited_at: fc.constantFrom(null, null, 1000),
    });
    const samples = fc.sample(fc.tuple(standing, fc.double({ min: 0, max: 1, noNaN: true })), 100);
    for (const [numbers, confidence] of samples) {
      const text = JSON.stringify({ ...UNTOUCHED, ...numbers });
      const row = await read.get<{ rank: number }>(
        sql`SELECT ${evidenceRankIn(backend)} AS rank FROM (SELECT CAST(${text} AS text) AS standing, CAST(${confidence} AS double precision) AS confidence) AS one`,
      );
      expect(row?.rank).toBe(evidenceRank(evidenceStatus(numbers, confidence)));
    }
  });
});
