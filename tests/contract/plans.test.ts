import { randomUUID } from 'node:crypto';
import { type Glob, type OperationName, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fragment, type Sql } from '../../packages/server/src/db/index.ts';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { openTestApp, runSql, type StorePlace, type TestApp } from '../support/app.ts';
import { readyPlace } from '../support/place.ts';
import { explainStatements, type SeenPlan, watchPlans } from '../support/seen-plans.ts';
import { watchDatabase } from '../support/statements.ts';
import type { JsonObject } from './table.ts';

/** Few, so that a plan that is no better than reading a table from end to end is taken for it. */
const ENTRIES = { sqlite: 2_000, postgres: 5_000 } as const;
const PER_COMMIT = 1_000;
const TABLES =
  'entries|standings|stale_reads|event_counts|versions|events|audit|stored_answers|counts|commits|digests|briefing_marks|briefing_visits|golden_queries|' +
  'entry_vectors|vector_blocks|consolidation_marks|consolidation_proposals|consolidation_sources|consolidation_runs';
const as = { agent_id: 'agent/plans' };

/** Twenty keys to a path, so that a path is a small part of the whole. */
async function fill(app: TestApp, count: number): Promise<void> {
  for (let from = 0; from < count; from += PER_COMMIT) {
    const writes = Array.from({ length: PER_COMMIT }, (_, i) => {
      const [path, key] = [Math.floor((from + i) / 20), (from + i) % 20];
      return { entity_path: `svc/${path}`, key: `k${key}`, value: { n: from + i, note: `word${path}` } };
    });
    await app.call('commits.create', { writes }, as);
  }
  const small = Array.from({ length: 1_000 }, (_, i) => {
    const writes = [{ entity_path: 'small', key: `k${i}`, value: i }];
    return app.call('commits.create', { writes }, { ...as, idempotency_key: `small-${i}` });
  });
  await Promise.all(small);
}

type HotStatement = [
  name: OperationName,
  how: string,
  input: JsonObject | ((i: number) => JsonObject),
  key?: Principal,
];

const scope = [
  ['svc/41', 'svc/57', 'svc/9/**', 'small', 'svc/7/*', 'svc/7/1/**'].map((text) => parseGlob(text) as Glob),
];
const scoped: Principal = { key_id: 'k', name: 'k', type: 'agent', read: scope };

const at = { entity_path: 'svc/41', key: 'k7' };
const HOT: HotStatement[] = [
  ['entries.read', 'the current version', at],
  ['entries.read', 'an old version', { ...at, version: 1 }],
  ['entries.read', 'at a time', { ...at, as_of: '2026-06-01T00:00:00Z' }],
  ['entries.list', 'by path', {}],
  ['entries.list', 'of one path', { entity_path: 'svc/41' }],
  ['entries.list', 'below a path', { entity_path: 'svc/**', limit: 50 }],
  ['entries.list', 'newest first', { sort: 'recent', limit: 20 }],
  ['entries.list', 'of one agent', { agent_id: 'agent/plans', limit: 20 }],
  ['entries.list', 'by evidence', { evidence_status: 'contested' }],
  ['entries.list', 'by evidence, newest first', { evidence_status: 'contested', sort: 'recent' }],
  ['entries.list', 'of a key with many scopes', {}, scoped],
  ['entries.list', 'of a key with many scopes, below a path', { entity_path: 'svc/**' }, scoped],
  ['entries.history', 'of an entry', at],
  ['entries.diff', 'of an entry', at],
  ['entries.write', 'of an entry', (i) => ({ ...at, value: i })],
  ['entries.delete', 'of an entry', at],
  ['entries.restore', 'of an entry', { ...at, version: 1 }],
  [
    'commits.create',
    'of a few',
    {
      writes: [
        { ...at, value: 1 },
        { ...at, key: 'k8', value: 2 },
      ],
    },
  ],
  ['commits.list', 'newest first', { limit: 5 }],
  ['commits.list', 'newest first, of a key with many scopes', { limit: 5 }, scoped],
  ['log.list', 'from a place', { after: 500 }],
  ['log.list', 'from a time', { since: '2026-01-01' }],
  ['series.read', 'of hours', {}],
  ['series.read', 'of hours with agents', { include_agents: true }],
  ['series.read', 'of a path', { entity_path: 'svc/41' }],
  ['stale_reads.list', 'newest first', {}],
  ['entries.readers', 'of an entry', at],
  ['graph.overview', 'of the newest', {}],
  ['entities.list', 'from a path', { from_path: 'svc/5' }],
  ['entries.list', 'from a path', { from_path: 'svc/5' }],
  ['entities.list', 'by name', {}],
  ['entities.list', 'below a path', { entity_path: 'svc/**' }],
  ['entities.tree', 'of the first level', {}],
  ['entities.tree', 'below a path', { entity_path: 'svc' }],
  ['patterns.list', 'by name', {}],
  ['entries.retrieve', 'of one path', { query: 'what does word41 say?', entity_path: 'svc/41' }],
  ['briefing.read', 'about a path', { entity_path: 'svc/41' }],
  ['briefing.read', 'of a key with many scopes', {}, scoped],
  ['digests.list', 'below a path', { entity_path: 'svc/**' }],
  ['cortex.status', 'of the worker', {}],
  ['cortex.recompile', 'of a path', { scope: 'svc/41' }],
  ['consolidation.run', 'of everything', { preview: true }],
  ['consolidation.candidates', 'below a path', { entity_path: 'svc/**' }],
  ['consolidation.proposals', 'newest first', {}],
  ['golden.list', 'newest first', {}],
];

/** Runs the operation a few times, as PostgreSQL re-plans a prepared statement after a few runs. */
async function run(app: TestApp, [name, , input, key]: HotStatement, watch: Watch): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await app.call('entries.write', { ...at, value: `before ${i}` }, as);
    const given = typeof input === 'function' ? input(i) : input;
    watch(true);
    await app.call(name, given as never, { ...as, key, idempotency_key: randomUUID() });
    watch(false);
  }
}

/** Whether to look at the statements that follow. */
type Watch = (isRunning: boolean) => void;

describe('hot statements on sqlite', () => {
  let app: TestApp;
  let isRunning = false;
  const seen: Sql[] = [];
  beforeAll(async () => {
    app = await openTestApp('sqlite', {
      wrapDatabase: (database) => watchDatabase(database, (statement) => isRunning && seen.push(statement)),
    });
    await fill(app, ENTRIES.sqlite);
    await app.kernel.services.database.words?.attach();
  });
  afterAll(() => app.close());
  const watch: Watch = (isOn) => {
    isRunning = isOn;
  };

  it.each(HOT)('%s %s finds its rows by an index', async (...hot) => {
    seen.length = 0;
    await run(app, hot, watch);
    const statements = seen.filter(({ text }) => !text.startsWith('INSERT'));
    expect(statements.length).toBeGreaterThan(0);
    const plans: string[] = [];
    for (const { text, values } of statements) {
      const explained = { ...fragment(`EXPLAIN QUERY PLAN ${text}`), values };
      const steps = await app.kernel.services.database.read.all<{ detail: string }>(explained);
      const scans = steps.filter(({ detail }) => new RegExp(`^SCAN (${TABLES})\\b`).test(detail));
      plans.push(...scans.map(({ detail }) => `${detail}: ${text}`));
    }
    expect(plans).toEqual([]);
  });
});

describe('hot statements on postgres', () => {
  let place: StorePlace;
  let dsn: string;
  beforeAll(async () => {
    place = await readyPlace('postgres');
    dsn = place.options.postgresDsn as string;
    const app = await openTestApp('postgres', { place });
    await fill(app, ENTRIES.postgres);
    await app.close();
    await runSql(dsn, 'ANALYZE');
    await explainStatements(dsn);
  });
  afterAll(() => place.remove());

  /** How often each table was read from end to end by connections that are closed. */
  const scans = async () => {
    const { rows } = await runSql(
      dsn,
      `SELECT relname, seq_scan FROM pg_stat_user_tables
       WHERE schemaname = current_schema() AND relname ~ '^(${TABLES})$' ORDER BY relname`,
    );
    expect(rows.length).toBeGreaterThan(5);
    return rows;
  };

  describe.each(['off', 'on'] as const)('with row-level security %s', (rowSecurity) => {
    let app: TestApp | undefined;
    let before: object[];
    let isRunning = false;
    const plans: SeenPlan[] = [];
    // A connection takes notices as they were watched when it began.
    let stopWatching: () => void;
    beforeAll(async () => {
      before = await scans();
      stopWatching = watchPlans((plan) => isRunning && plans.push(plan));
      app = await openTestApp('postgres', { place, rowSecurity });
    });
    const close = async () => {
      await app?.close();
      app = undefined;
    };
    afterAll(async () => {
      await close();
      stopWatching();
    });

    it.each(HOT)('%s %s finds its rows by an index', async (...hot) => {
      plans.length = 0;
      await run(app as TestApp, hot, (isOn) => {
        isRunning = isOn;
      });
      expect(plans.length).toBeGreaterThan(0);
      const read = plans.filter(({ scanned }) => scanned.some((table) => new RegExp(`^(${TABLES})$`).test(table)));
      expect(read.map(({ text, scanned }) => `${scanned}: ${text}`)).toEqual([]);
    });

    it('none of them read a table from end to end, nor did the start of the service', async () => {
      await close();
      expect(await scans()).toEqual(before);
    });
  });
});

it('commits of a key of a scope are looked at one by one on a PostgreSQL without statistics', async () => {
  const seen: Sql[] = [];
  const app = await openTestApp('postgres', {
    wrapDatabase: (database) => watchDatabase(database, (statement) => seen.push(statement)),
  });
  onTestFinished(() => app.close());
  await app.call('commits.create', { writes: [{ ...at, value: 1 }] }, as);
  seen.length = 0;
  const { commits } = await app.call('commits.list', {}, { ...as, key: scoped });
  expect(commits).toHaveLength(1);
  const { text, values } = seen.find((one) => /FROM commits[\s\S]*FROM versions/.test(one.text)) as Sql;
  const explained = { ...fragment(`EXPLAIN (COSTS OFF) ${text}`), values };
  const steps = await app.kernel.services.database.read.all<{ 'QUERY PLAN': string }>(explained);
  const plan = steps.map((step) => step['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/SubPlan 1[\s\S]*Limit[\s\S]*(versions_by_commit)/);
  expect(plan).not.toMatch(/hashed SubPlan|Semi Join|Seq Scan on (versions|entries)/);
});
