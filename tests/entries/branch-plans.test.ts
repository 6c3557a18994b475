import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query, Sql } from '../../packages/server/src/db/index.ts';
import { sql } from '../../packages/server/src/db/index.ts';
import { findComparedIn } from '../../packages/server/src/modules/entries/compared.ts';
import * as queries from '../../packages/server/src/modules/entries/queries.ts';
import { getVersion, listVersions } from '../../packages/server/src/modules/entries/version-queries.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const at = { entity_path: 'p1', key: 'k1' };
const page = { where: [], range: [], filters: [], scan: 1000, limit: 10, bytes: 1000 };

describe('the plans of reads on a branch on sqlite', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await openTestApp('sqlite');
  });

  afterAll(() => app.close());

  const view = (is_kept: boolean) => ({
    account_id: 'a',
    lineage: [
      { branch: 'exp/deep', up_to_seq: null },
      { branch: 'exp', up_to_seq: 20, ...(is_kept ? { is_kept } : {}) },
      { branch: 'main', up_to_seq: 10, ...(is_kept ? { is_kept } : {}) },
    ],
    agent_id: 'agent/a',
    scope: undefined,
    at: 0,
    dialect: app.kernel.services.database.dialect,
  });

  /** The plan of the one statement that a function sends. */
  async function planOf(ask: (query: Query) => unknown): Promise<string> {
    const sent: Sql[] = [];
    const note = (statement: Sql) => {
      sent.push(statement);
      return Promise.resolve([]);
    };
    await ask({ get: note, all: note, first: note } as unknown as Query);
    const { read } = app.kernel.services.database.forAccount('a');
    const rows = await read.all<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${sent[0] as Sql}`);
    return rows.map(({ detail }) => detail).join('\n');
  }

  const readsAll = /MATERIALIZE|AUTOMATIC|SCAN (head|entries|versions|standings|kept_entries)\b/;
  const byName = /SEARCH head .*\(account_id=\? AND branch=\?\)/;

  describe.each([true, false])('kept: %s', (isKept) => {
    it.each<[string, (query: Query) => unknown]>([
      ['reads one', (query) => queries.getReadEntry(query, view(isKept), at)],
      ['reads several', (query) => queries.findEntriesIn(query, view(isKept), [at, { ...at, key: 'k2' }])],
      ['compares several', (query) => findComparedIn(query, view(isKept), [at, { ...at, key: 'k2' }])],
      ['reads a version', (query) => getVersion(query, view(isKept), { ...at, version: 2 })],
      [
        'lists versions',
        (query) => listVersions(query, view(isKept), { ...at, before: 9, since: 0, until: 9, limit: 5, bytes: 1000 }),
      ],
    ])('%s by name', async (_, ask) => {
      const plan = await planOf(ask);
      expect(plan).not.toMatch(readsAll);
      expect(plan).not.toMatch(byName);
    });
  });

  /** The order in time of versions of then is no index: they are sorted. */
  it.each([
    ['path', true],
    ['path', false],
    ['recent', true],
  ] as const)('reads a page by %s without sorting the account, kept: %s', async (order, isKept) => {
    const plan = await planOf((query) => queries.listEntries(query, view(isKept), { ...page, order }));
    expect(plan).not.toMatch(readsAll);
    expect(plan.split('CO-ROUTINE looked_at')[1]?.split('SCAN looked_at')[0]).not.toContain('TEMP B-TREE');
  });
});
