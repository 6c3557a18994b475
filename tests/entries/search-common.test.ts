import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ByteLimit, Database, Query, Sql } from '../../packages/server/src/db/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { follow } from './support.ts';

const COUNT = 2100;

/** Reports the number of rows of every answer. */
function countingRows(database: Database, report: (rows: number) => void): Database {
  const counting = (query: Query): Query => ({
    async all<T>(statement: Sql) {
      const rows = await query.all<T>(statement);
      report(rows.length);
      return rows;
    },
    async first<T>(statement: Sql, limit: ByteLimit) {
      const found = await query.first<T>(statement, limit);
      report(found.rows.length);
      return found;
    },
    get: (statement) => query.get(statement),
    findMany: (find, keys) => query.findMany(find, keys),
  });
  return {
    dialect: database.dialect,
    sharedLanes: database.sharedLanes,
    read: counting(database.read),
    scan: counting(database.scan),
    forAccount(accountId) {
      const reads = database.forAccount(accountId);
      const find: typeof reads.find = (by, key) => reads.find(by, key);
      return { read: counting(reads.read), scan: counting(reads.scan), find };
    },
    find: (find, key) => database.find(find, key),
    snapshot: (accountId) => database.snapshot(accountId),
    transaction: (work) => database.transaction(work),
    maintenanceTransaction: (work) => database.maintenanceTransaction(work),
    alter: (work) => database.alter(work),
    maintain: (statement) => database.maintain(statement),
    exclusively: (work) => database.exclusively(work),
    expectSchema: (schema, onOther) => database.expectSchema(schema, onOther),
    isWritable: () => database.isWritable(),
    get lostConnections() {
      return database.lostConnections;
    },
    announce: (topic, place) => database.announce(topic, place),
    onAnnounce: (listener) => database.onAnnounce(listener),
    ...(database.words ? { words: database.words } : {}),
    close: () => database.close(),
  };
}

describe.each(backends)('words that very many entries hold on %s', (backend) => {
  let app: TestApp;
  const rowCounts: number[] = [];
  const key = (i: number) => `k${String(i).padStart(4, '0')}`;

  beforeAll(async () => {
    const wrapDatabase = (database: Database) => countingRows(database, (rows) => rowCounts.push(rows));
    app = await openTestApp(backend, { wrapDatabase });
    const writes = Array.from({ length: COUNT }, (_, i) => ({
      entity_path: `common/${i % 3}`,
      key: key(i),
      value: `status ${i % 2 === 0 ? 'ready ' : ''}report${i % 700 === 0 ? ' volcano' : ''}`,
      shared: i < COUNT - 50,
    }));
    for (let at = 0; at < COUNT; at += 1000) await app.call('commits.create', { writes: writes.slice(at, at + 1000) });
    // Until the words of so many are indexed.
    await app.jobs.sweep();
  });
  afterAll(() => app.close());

  const keys = (page: { entries: { key: string }[] }) => page.entries.map((entry) => entry.key);
  const newest = (count: number, from = COUNT) => Array.from({ length: count }, (_, i) => key(from - 1 - i));

  it('a query of such a word alone gives the newest first, without a score', async () => {
    const page = await app.call('entries.search', { query: 'status', limit: 5 });
    expect(keys(page)).toEqual(newest(5));
    expect(page.entries.every((entry) => entry.score === null)).toBe(true);
    expect(page).toMatchObject({ has_more: true, truncated: false });
  });

  it('no more entries are looked at than a block of hits', async () => {
    rowCounts.length = 0;
    await app.call('entries.search', { query: 'status report', limit: 5 });
    expect(Math.max(...rowCounts)).toBeLessThanOrEqual(128);
  });

  it('its pages go on to older ones', async () => {
    const first = await app.call('entries.search', { query: 'status', limit: 5 });
    const second = await app.call('entries.search', { query: 'status', limit: 5, cursor: first.next_cursor as string });
    expect(keys(second)).toEqual(newest(10).slice(5));
  });

  it('what is private to another is passed over', async () => {
    const page = await app.call('entries.search', { query: 'status', limit: 5 }, { agent_id: 'agent/other' });
    expect(keys(page)).toEqual(newest(5, COUNT - 50));
  });

  it('filters that drop nearly all still find what is left', async () => {
    const page = await app.call('entries.search', { query: 'status', entity_path: 'common/0', limit: 2 });
    expect(keys(page)).toEqual([key(2097), key(2094)]);
    const rare = await app.call('entries.search', { query: 'status report', entity_path: 'nowhere' });
    expect(keys(rare)).toEqual([]);
  });

  it('a rare word ranks first, then the page is filled with the common ones', async () => {
    const page = await app.call('entries.search', { query: 'status volcano', limit: 6 });
    const volcanoes = [key(0), key(700), key(1400)];
    expect(keys(page).slice(0, 3).sort()).toEqual(volcanoes);
    expect(page.entries.slice(0, 3).every((entry) => (entry.score as number) > 0)).toBe(true);
    expect(keys(page).slice(3)).toEqual(newest(3));
    expect(page.entries.slice(3).every((entry) => entry.score === null)).toBe(true);
  });

  it('what holds all of the common words comes before what holds some of them', async () => {
    const extra = { entity_path: 'common/extra', key: 'both', value: 'status report' };
    await app.call('entries.write', extra);
    await app.call('entries.write', { ...extra, key: 'one', value: 'report' });
    const page = await app.call('entries.search', { query: 'report status', limit: 3 });
    expect(keys(page)).toEqual(['both', ...newest(2)]);
    const pages = await follow((cursor) => app.call('entries.search', { query: 'report status', limit: 1000, cursor }));
    expect(pages.flatMap(keys)).toHaveLength(COUNT + 2);
    expect(pages.flatMap(keys).at(-1)).toBe('one');
  });
});
