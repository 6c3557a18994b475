import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ByteLimit, Database, Find, Query, Sql, SqlValue } from '../../packages/server/src/db/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { namedBranches } from '../support/lineages.ts';
import { watchDatabase } from '../support/statements.ts';
import { iso, refusal } from './support.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

const { lineages, branches } = namedBranches();

describe.each(backends)('a branch with a lineage on %s', (backend) => {
  let app: TestApp;
  let fork = 0;
  let forkTime = '';
  const at = (key: string, entity_path = 'a') => ({ entity_path, key });
  const write = (key: string, value: unknown, { by = A, ...more }: { by?: typeof A; [field: string]: unknown } = {}) =>
    app.call('entries.write', { ...at(key), value, ...more } as never, by);

  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [branches] });
    await write('changed', { text: 'old apple', n: 1 }, { pattern_refs: ['p-old'], memory_type: 'belief' });
    await write('removed', { text: 'apple of main', n: 2 });
    await write('same', { text: 'pear', n: 4 }, { pattern_refs: ['p-same'] });
    await write('secret', { text: 'apple', n: 8 }, { shared: false, by: B });
    await write('hidden', { text: 'apple', n: 16 });
    await app.call('commits.create', { writes: [{ ...at('committed', 'b'), value: { n: 32 } }], message: 'then' }, A);
    fork = (await app.call('stats.read', {}, A)).last_seq;
    forkTime = iso(app.clock.now());
    lineages.set('then', [{ branch: 'main', up_to_seq: fork }]);
    lineages.set('dev', [
      { branch: 'dev', up_to_seq: null },
      { branch: 'main', up_to_seq: fork },
    ]);
    app.clock.advance(60_000);
    await write('changed', { text: 'new banana', n: 100 }, { pattern_refs: ['p-new'], memory_type: 'fact', by: B });
    await app.call('entries.delete', at('removed'), A);
    await write('late', { text: 'apple', n: 200 });
    await app.call('commits.create', { writes: [{ ...at('committed', 'b'), value: { n: 300 } }], message: 'now' }, A);
    app.clock.advance(60_000);
    await write('changed', { text: 'apple of dev', n: 1000 }, { branch: 'dev', by: B });
    await write('hidden', 0, { branch: 'dev' });
    await app.call('entries.delete', { ...at('hidden'), branch: 'dev' }, A);
    await write('own', { text: 'apple', n: 2000 }, { branch: 'dev' });
  });
  afterAll(() => app.close());

  const valueAt = async (branch: string, key: string, as = A) => {
    const { value } = (await app.call('entries.read', { ...at(key), branch }, as)) as { value: { n: number } };
    return value.n;
  };
  const isMissing = async (branch: string, key: string, as = A) =>
    (await refusal(app.call('entries.read', { ...at(key), branch }, as))).code === 'not_found';

  it('is read by name: nearest first, then as it was at the fork', async () => {
    expect(await valueAt('then', 'changed')).toBe(1);
    expect(await valueAt('then', 'removed')).toBe(2);
    expect(await valueAt('dev', 'changed')).toBe(1000);
    expect(await valueAt('dev', 'removed')).toBe(2);
    expect(await valueAt('main', 'changed')).toBe(100);
    for (const [branch, key] of [
      ['then', 'late'],
      ['then', 'own'],
      ['dev', 'late'],
      ['dev', 'hidden'],
      ['main', 'own'],
    ] as const)
      expect([branch, key, await isMissing(branch, key)]).toEqual([branch, key, true]);
    expect(await isMissing('then', 'secret')).toBe(true);
    expect(await valueAt('then', 'secret', B)).toBe(8);
  });

  it('is read as of a time', async () => {
    const { value } = (await app.call('entries.read', { ...at('changed'), branch: 'dev', as_of: forkTime }, A)) as {
      value: { n: number };
    };
    expect(value.n).toBe(1);
    expect(await refusal(app.call('entries.read', { ...at('late'), as_of: forkTime }, A))).toMatchObject({
      code: 'not_found',
    });
  });

  const keysOf = (rows: readonly { key: string }[]) => rows.map(({ key }) => key).sort();
  const THEN = ['changed', 'committed', 'hidden', 'removed', 'same'];
  const DEV = ['changed', 'committed', 'own', 'removed', 'same'];

  it.each([
    ['then', THEN],
    ['dev', DEV],
  ])('lists what %s shows, in every order and page', async (branch, keys) => {
    for (const sort of ['path', 'recent'] as const) {
      const found: { key: string }[] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await app.call('entries.list', { branch, sort, limit: 2, cursor }, A);
        found.push(...page.entries);
        more = page.has_more;
        cursor = page.next_cursor ?? undefined;
      }
      expect(keysOf(found)).toEqual(keys);
      if (sort === 'recent') expect(found.at(0)?.key).toBe(branch === 'dev' ? 'own' : 'committed');
    }
    const { entries } = await app.call('entries.list', { branch, memory_type: 'belief' }, A);
    expect(keysOf(entries)).toEqual(['changed']);
  });

  it('has the history of what it shows, and no more', async () => {
    const versionsOf = async (branch: string, key: string) =>
      (await app.call('entries.history', { ...at(key), branch }, A)).version_count;
    expect([await versionsOf('then', 'changed'), await versionsOf('main', 'changed')]).toEqual([1, 2]);
    expect(await versionsOf('dev', 'hidden')).toBe(3);
    expect(await refusal(app.call('entries.read', { ...at('changed'), branch: 'then', version: 2 }, A))).toMatchObject({
      code: 'not_found',
    });
    const diff = await app.call('entries.diff', { ...at('changed'), branch: 'then' }, A);
    expect(diff).toMatchObject({ diff_type: 'added', new_version: 1 });
  });

  it('adds up what it shows', async () => {
    const sum = async (branch: string) =>
      (await app.call('entries.aggregate', { branch, entity_path: '*', op: 'sum', field: 'n' }, A)).sum;
    expect([await sum('then'), await sum('dev')]).toEqual([1 + 2 + 4 + 16 + 32, 1000 + 2 + 4 + 32 + 2000]);
  });

  it('is searched by words and by filters', async () => {
    const search = async (branch: string, input: object, as = A) =>
      keysOf((await app.call('entries.search', { branch, ...input }, as)).entries);
    expect(await search('then', { query: 'apple' })).toEqual(['changed', 'hidden', 'removed']);
    expect(await search('then', { query: 'apple' }, B)).toEqual(['changed', 'hidden', 'removed', 'secret']);
    expect(await search('dev', { query: 'appl*' })).toEqual(['changed', 'own', 'removed']);
    expect(await search('dev', { query: '"apple of dev"' })).toEqual(['changed']);
    expect(await search('then', { query: 'banana' })).toEqual([]);
    expect(await search('then', { query: 'apple', sort_by: 'recency', limit: 1 })).toEqual(['hidden']);
    expect(await search('then', { pattern_ref: 'p-old' })).toEqual(['changed']);
    expect(await search('dev', { entity_path: 'b' })).toEqual(['committed']);
  });

  it('is counted', async () => {
    const entities = async (branch: string) =>
      (await app.call('entities.list', { branch }, A)).entities.map((one) => [one.entity_path, one.entry_count]);
    expect(await entities('then')).toEqual([
      ['a', 4],
      ['b', 1],
    ]);
    expect((await app.call('entities.list', { branch: 'dev', limit: 1 }, A)).entities).toHaveLength(1);
    const patterns = async (branch: string) =>
      (await app.call('patterns.list', { branch }, A)).patterns.map((one) => one.pattern_ref);
    expect([await patterns('then'), await patterns('dev')]).toEqual([['p-old', 'p-same'], ['p-same']]);
    expect(await app.call('stats.read', { branch: 'then' }, A)).toMatchObject({
      total_entries: 5,
      total_entities: 2,
      total_agents: 1,
      total_patterns: 2,
      memory_type_counts: { belief: 1, fact: 4 },
      last_seq: fork,
    });
  });

  it('knows its agents by what they wrote there', async () => {
    const { agents } = await app.call('agents.list', { branch: 'dev' }, A);
    expect(agents.map((one) => [one.agent_id, one.entries_written])).toEqual([
      ['agent/a', 4],
      ['agent/b', 1],
    ]);
    const then = await app.call('agents.list', { branch: 'then' }, A);
    expect(then.agents.map((one) => [one.agent_id, one.entries_written, one.last_active])).toEqual([
      ['agent/a', 5, forkTime],
    ]);
    const profile = await app.call('agents.profile', { agent_id: 'agent/a', branch: 'then' }, A);
    expect(profile).toMatchObject({ entries_written: 5, entities_touched: 2 });
    const found = await app.call('agents.discover', { branch: 'then', entity_path: 'a' }, A);
    expect(found.agents.map(({ agent_id }) => agent_id)).toEqual(['agent/a']);
    const recalled = await app.call('agents.recall', { ...at('changed'), branch: 'then' }, A);
    expect(recalled).toMatchObject({ value: { n: 1 }, version: 1 });
  });

  it('shows its commits and is verified', async () => {
    const messages = async (branch: string) =>
      (await app.call('commits.list', { branch }, A)).commits.map(({ message }) => message);
    expect([await messages('then'), await messages('dev'), await messages('main')]).toEqual([
      ['then'],
      ['then'],
      ['now', 'then'],
    ]);
    for (const [branch, total_checked] of [
      ['then', 5],
      ['dev', 7],
    ] as const)
      expect(await app.call('entries.verify', { branch }, A)).toMatchObject({
        total_checked,
        valid: total_checked,
        corrupted: [],
        chain_breaks: [],
      });
  });
});

describe.each(backends)('a large earlier state on %s', (backend) => {
  const statements: string[] = [];
  const documents: number[] = [];
  let app: TestApp;

  beforeAll(async () => {
    const watch = (query: Query): Query => ({
      async all<T>(statement: Sql) {
        const rows = await query.all<T>(statement);
        statements.push(statement.text);
        documents.push(rows.filter((row) => typeof (row as { document?: unknown }).document === 'string').length);
        return rows;
      },
      async first<T>(statement: Sql, limit: ByteLimit) {
        const found = await query.first<T>(statement, limit);
        statements.push(statement.text);
        documents.push(found.rows.filter((row) => typeof (row as { document?: unknown }).document === 'string').length);
        return found;
      },
      get: (statement) => query.get(statement),
      async findMany<T>(find: Find, keys: readonly (readonly SqlValue[])[]) {
        const rows = await query.findMany<T>(find, keys);
        if (find.table === 'versions') documents.push(rows.length);
        return rows;
      },
    });
    const wrapDatabase = (database: Database): Database => ({
      ...watchDatabase(database, () => {}),
      forAccount(accountId) {
        const reads = database.forAccount(accountId);
        const find: typeof reads.find = (by, key) => reads.find(by, key);
        return { read: watch(reads.read), scan: watch(reads.scan), find };
      },
    });
    app = await openTestApp(backend, { modules: [branches], maxScannedBytes: 20_000, wrapDatabase });
    // More differs from the index than may: its entries are scanned.
    Object.assign(app.kernel.services.limits, { max_overlaid_entries: 0 });
    const writes = Array.from({ length: 30 }, (_, i) => ({
      entity_path: 'large',
      key: `k${String(i).padStart(2, '0')}`,
      value: `${'apple '.repeat(i % 7)}${'pear '.repeat(200)}`,
    }));
    await app.call('commits.create', { writes }, A);
    lineages.set('large', [{ branch: 'main', up_to_seq: (await app.call('stats.read', {}, A)).last_seq }]);
    await app.call('commits.create', { writes: writes.slice(15).map((one) => ({ ...one, value: 'plum' })) }, A);
  });
  afterAll(() => app.close());

  const watched = async <T>(work: Promise<T>) => {
    documents.length = 0;
    statements.length = 0;
    const answer = await work;
    return { answer, loaded: documents.filter((n) => n > 0) };
  };

  it('is searched up to a number of bytes, and only the page is loaded', async () => {
    const { answer, loaded } = await watched(
      app.call('entries.search', { branch: 'large', query: 'apple', limit: 2 }, A),
    );
    expect(answer).toMatchObject({ truncated: true, has_more: true });
    expect(answer.entries.map(({ key }) => key)).toEqual(['k27', 'k20']);
    expect(loaded).toHaveLength(2);
    expect(loaded[0]).toBeGreaterThan(5);
    expect(loaded[0]).toBeLessThan(20);
    expect(loaded[1]).toBe(2);
    const { next_cursor } = answer;
    const rest = await watched(
      app.call('entries.search', { branch: 'large', query: 'apple', limit: 3, cursor: next_cursor ?? '' }, A),
    );
    expect(rest.answer.entries).toHaveLength(3);
    expect(rest.loaded[1]).toBe(3);
  });

  it.each([
    ['entries.list', { limit: 3 }, 4],
    ['entries.list', { limit: 3, sort: 'recent' }, 4],
    ['entries.search', { limit: 3, sort_by: 'recency' }, 3],
  ] as const)('%s %j loads documents for its page alone', async (name, input, rows) => {
    const { answer, loaded } = await watched(app.call(name, { branch: 'large', ...input }, A));
    expect(answer.entries).toHaveLength(3);
    expect(loaded).toEqual([rows]);
    const scans = statements.filter((text) => text.includes(' AS looked_at'));
    expect(scans.length).toBeGreaterThan(0);
    for (const text of scans) expect(text).not.toMatch(/(head|past)\.document AS|head\.document,/);
  });
});
