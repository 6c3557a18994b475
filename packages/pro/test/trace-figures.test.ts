import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query, Sql } from '../../../packages/server/src/db/index.ts';
import { fragment } from '../../../packages/server/src/db/index.ts';
import { SELF_HOSTED_ACCOUNT } from '../../../packages/server/src/kernel/caller.ts';
import { backends, openTestApp, runSql, type TestApp } from '../../../tests/support/app.ts';
import { readyPlace } from '../../../tests/support/place.ts';
import { listByFigure, listHaving, listWithoutFigure } from '../src/trace-navigation/queries.ts';

const TRACES = 20_000;
const COLUMNS = 'account_id, seq, agent_id, branch, visible_to, duration_ms, cost_usd, facts';
/** One in seven has no cost, and most cost the same. */
const valuesOf = (n: string) =>
  `'${SELF_HOSTED_ACCOUNT}', ${n}, 'agent/one', 'main', '', ${n} % 1000, CASE ${n} % 7 WHEN 0 THEN NULL WHEN 1 THEN ${n} % 100 ELSE 0.001 END, '{}'`;

describe.each(backends)('the order of traces by a figure on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    const place = await readyPlace(backend);
    app = await openTestApp(backend, { place });
    const numbers =
      backend === 'sqlite'
        ? `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${TRACES})
           INSERT INTO indexed_traces (${COLUMNS}) SELECT ${valuesOf('n')} FROM numbers`
        : `INSERT INTO indexed_traces (${COLUMNS}) SELECT ${valuesOf('n')} FROM generate_series(1, ${TRACES}) AS numbers(n)`;
    if (backend === 'postgres') await runSql(place.options.postgresDsn as string, `${numbers}; ANALYZE indexed_traces`);
    else await app.kernel.services.database.transaction((tx) => tx.run(fragment(numbers)));
  });
  afterAll(() => app.close());

  /** The plan of the statement that a query makes. */
  async function planOf(ask: (query: Query) => Promise<unknown>): Promise<string> {
    const seen: Sql[] = [];
    const all = async (statement: Sql) => {
      seen.push(statement);
      return [];
    };
    await ask({ all } as unknown as Query);
    const [{ text, values }] = seen as [Sql];
    const explain = backend === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const { read } = app.kernel.services.database;
    return JSON.stringify(await read.all({ ...fragment(`${explain} ${text}`), values }));
  }

  it.each(['cost', 'duration'] as const)('%s comes from its index, wherever a page begins', async (figure) => {
    const index = new RegExp(`indexed_traces_by_${figure}`);
    for (const after of [undefined, { value: 0.001, seq: 9000 }]) {
      const place = after && figure === 'duration' ? { ...after, value: 500 } : after;
      const plan = await planOf((query) =>
        listByFigure(query, SELF_HOSTED_ACCOUNT, { figure, after: place, limit: 100 }),
      );
      expect(plan).toMatch(index);
      expect(plan).not.toMatch(/Sort|TEMP B-TREE|Seq Scan/);
      if (after) expect(plan).toMatch(/<\(\?,\?\)|ROW\(/);
    }
    const unknown = await planOf((query) =>
      listWithoutFigure(query, SELF_HOSTED_ACCOUNT, { figure, before: 9000, limit: 100 }),
    );
    expect(unknown).toMatch(index);
    expect(unknown).not.toMatch(/Sort|TEMP B-TREE|Seq Scan/);
  });

  it('the words of some traces are looked up one by one', async () => {
    const { dialect } = app.kernel.services.database;
    const account = { account_id: SELF_HOSTED_ACCOUNT, number: 1 };
    const seqs = Array.from({ length: 200 }, (_, i) => 50 * i);
    const plan = await planOf((query) => listHaving(query, dialect, { account, seqs, expression: 'word' }));
    expect(plan).not.toMatch(/Seq Scan|indexed_traces_by_word|SCAN indexed_traces/);
    if (backend === 'sqlite') expect(plan).toMatch(/VIRTUAL TABLE INDEX \d+:M\d>/);
  });
});
