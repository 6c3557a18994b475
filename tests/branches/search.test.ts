import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { namedBranches } from '../support/lineages.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const { lineages, branches } = namedBranches();

describe.each(backends)('a search on a branch on %s', (backend) => {
  let app: TestApp;
  const write = (key: string, value: string, more: object = {}) =>
    app.call('entries.write', { entity_path: 'a', key, value, ...more } as never, A);
  const seqNow = async () => (await app.call('stats.read', {}, A)).last_seq;

  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [branches] });
    const writes = Array.from({ length: 60 }, (_, i) => ({
      entity_path: i % 2 === 0 ? 'even' : 'odd',
      key: `k${i}`,
      value: `common word${i} ${i % 3 === 0 ? 'fizz' : 'plain'}`,
    }));
    await app.call('commits.create', { writes }, A);
    await write('kept', 'apple of the fork');
    await write('gone', 'apple that main removes');
    await write('changed', 'apple that both change');
    await app.call('entries.write', { entity_path: 'a', key: 'secret', value: 'apple', shared: false }, B);
    const fork = await seqNow();
    lineages.set('then', [{ branch: 'main', up_to_seq: fork }]);
    lineages.set('dev', [
      { branch: 'dev', up_to_seq: null },
      { branch: 'main', up_to_seq: fork },
    ]);
    await write('changed', 'banana of main');
    await app.call('entries.delete', { entity_path: 'a', key: 'gone' }, A);
    await write('late', 'apple apple apple');
    await write('changed', 'cherry of dev', { branch: 'dev' });
    await write('own', 'apple of dev', { branch: 'dev' });
    const middle = await seqNow();
    lineages.set('deep', [
      { branch: 'deep', up_to_seq: null },
      { branch: 'dev', up_to_seq: middle },
      { branch: 'main', up_to_seq: fork },
    ]);
    await write('own', 'pear of dev, written later', { branch: 'dev' });
    await app.call('entries.delete', { entity_path: 'a', key: 'kept', branch: 'deep' }, A);
  });
  afterAll(() => app.close());

  const keys = async (
    branch: string,
    query: string,
    { as = A, ...more }: { as?: typeof A; [field: string]: unknown } = {},
  ) => {
    const { entries, truncated } = await app.call(
      'entries.search',
      { branch, query, limit: 100, ...more } as never,
      as,
    );
    expect(truncated).toBe(false);
    return entries.map(({ key }) => key);
  };
  const sorted = async (...asked: Parameters<typeof keys>) => (await keys(...asked)).sort();

  it('finds what the branch shows, by the index and by a scan', async () => {
    for (const most of [4000, 0]) {
      Object.assign(app.kernel.services.limits, { max_overlaid_entries: most });
      expect(await sorted('main', 'apple')).toEqual(['kept', 'late']);
      expect(await sorted('then', 'apple')).toEqual(['changed', 'gone', 'kept']);
      expect(await sorted('then', 'apple', { as: B })).toEqual(['changed', 'gone', 'kept', 'secret']);
      expect(await sorted('dev', 'apple')).toEqual(['gone', 'kept']);
      expect(await sorted('dev', 'pear cherry')).toEqual(['changed', 'own']);
      expect(await sorted('deep', 'apple')).toEqual(['gone', 'own']);
      expect(await sorted('deep', '"apple of dev"')).toEqual(['own']);
      expect(await sorted('deep', 'appl*')).toEqual(['gone', 'own']);
      expect(await sorted('dev', 'banana')).toEqual([]);
      expect(await keys('dev', 'word7')).toEqual(['k7']);
      expect(await sorted('dev', 'fizz', { entity_path: 'odd' })).toHaveLength(10);
      expect(await sorted('dev', 'apple', { entity_path: 'odd' })).toEqual([]);
      expect(await sorted('dev', 'common')).toHaveLength(60);
      expect(await keys('dev', 'apple cherry', { sort_by: 'recency', limit: 1 })).toEqual(['changed']);
      expect(await keys('dev', 'apple', { agent_id: 'agent/b' })).toEqual([]);
    }
    Object.assign(app.kernel.services.limits, { max_overlaid_entries: 4000 });
  });

  it('ranks what the branch has like what the index has', async () => {
    await write('twin', 'zebra crossing', { branch: 'dev' });
    expect(await sorted('dev', 'zebra')).toEqual(['twin']);
    const { entries } = await app.call('entries.search', { branch: 'dev', query: 'word3 fizz zebra' }, A);
    expect(
      entries
        .slice(0, 2)
        .map(({ key }) => key)
        .sort(),
    ).toEqual(['k3', 'twin']);
    const scores = entries.map(({ score }) => score ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('pages through all of them once', async () => {
    const found: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await app.call('entries.search', { branch: 'dev', query: 'common', limit: 7, cursor }, A);
      found.push(...page.entries.map(({ key }) => key));
      more = page.has_more;
      cursor = page.next_cursor ?? undefined;
    }
    expect([found.length, new Set(found).size]).toEqual([60, 60]);
  });
});
