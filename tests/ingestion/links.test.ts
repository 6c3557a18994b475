import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import type { Sql } from '../../packages/server/src/db/index.ts';
import { upsertEdges } from '../../packages/server/src/modules/graph/queries.ts';
import { compiled, digestsOf, namesOf } from '../cortex/compiled.ts';
import { type Backend, backends, caller, openTestApp, runSql, type TestOptions } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { readyPlace } from '../support/place.ts';
import { watchDatabase } from '../support/statements.ts';
import { exportLines } from '../transfer/support.ts';

/** A service with a connector whose payloads are its results. */
async function openLinking(backend: Backend, options: TestOptions = {}) {
  const connector = connectorThat(async (events) =>
    events.map(({ payload }) => ({ results: payload as ConnectorResult[] })),
  );
  const app = await openTestApp(backend, { ...options, connectors: hostOf(connector) });
  onTestFinished(() => app.close());
  let count = 0;
  const receive = (results: readonly object[]) =>
    app.call('webhooks.receive', {
      connector: 'example',
      id: `d-${++count}`,
      event_type: 'build.failed',
      payload: results,
    } as never);
  return { app, receive };
}

const at = { entity_path: 'repos/acme/shop', key: 'pr-1' };
const write = (more: object, place: object = at) => ({
  operation: 'write',
  ...place,
  value: { state: 'open' },
  occurred_at: '2025-06-01T10:00:00Z',
  merge: true,
  ...more,
});

describe.each(backends)('links of a connector, on %s', (backend) => {
  it('are counted in the event of their delivery, which names none of them', async () => {
    const { app, receive } = await openLinking(backend);
    const links = [
      { relation: 'opened_by', to: 'people/github/ana' },
      { relation: 'closes', to: 'repos/acme/shop/issue-9' },
    ];
    await receive([write({ links })]);
    await receive([write({ links })]);
    const { events } = await app.call('log.list', {});
    expect(events.map(({ event_type, details }) => [event_type, details.links])).toEqual([
      ['write', undefined],
      ['webhook_ingested', 2],
      ['webhook_ingested', undefined],
    ]);
    expect(JSON.stringify(events)).not.toMatch(/people|issue-9/);
  });

  it('of other entries of a delivery are told one by one, and erased with them', async () => {
    const { app, receive } = await openLinking(backend);
    const other = { entity_path: 'repos/acme/shop', key: 'commit-7' };
    await receive([write({}), write({ links: [{ relation: 'part_of', to: 'repos/acme/shop/pr-1' }] }, other)]);
    const added = async () =>
      (await app.call('log.list', {})).events.filter(({ event_type }) => event_type === 'edge_added');
    expect(await added()).toMatchObject([{ details: { source: 'repos/acme/shop/commit-7', relation: 'part_of' } }]);
    await app.call('entries.erase', other);
    expect(JSON.stringify(await added())).not.toContain('commit-7');
  });

  it('to a name lead to its entry once that is there, and are erased with it', async () => {
    const { app, receive } = await openLinking(backend);
    const other = { entity_path: 'repos/acme/shop', key: 'commit-7' };
    const closes = { relation: 'closes', to: 'repos/acme/shop/issue-9' };
    await receive([write({ links: [closes] }), write({ links: [closes] }, other)]);
    const out = async () => {
      const { edges } = await app.call('graph.neighbors', {
        entity: 'repos/acme/shop/pr-1',
        depth: 1,
        direction: 'out',
      });
      return edges.filter(({ relation }) => relation === 'closes');
    };
    const [stated] = await out();
    expect(stated).toMatchObject({ target: 'repos/acme/shop/issue-9', target_type: 'entity' });
    await receive([write({}, { entity_path: 'repos/acme/shop', key: 'issue-9' })]);
    expect(await out()).toEqual([{ ...stated, target_type: 'entry' }]);
    await receive([write({ links: [closes], occurred_at: '2025-06-01T11:00:00Z' })]);
    expect(await out()).toHaveLength(1);
    await app.call('entries.erase', { entity_path: 'repos/acme/shop', key: 'issue-9' });
    expect(await out()).toEqual([]);
    const lines = await exportLines(app);
    expect(lines.filter((line) => line.includes('issue-9') && !line.includes('"record":"audit"'))).toEqual([]);
  });

  it('are on the maps of the paths that they lead to', async () => {
    const { app, receive } = await openLinking(backend, { settings: { cortex: 'on' } });
    await app.call('entries.write', { entity_path: 'people/github/ana', key: 'role', value: 'reviews' });
    await receive([write({ links: [{ relation: 'opened_by', to: 'people/github/ana' }] })]);
    await compiled(app);
    expect(namesOf(await digestsOf(app))).toContain('connection_map people/github/ana');
  });

  it('to a name that gets its entry are found by an index', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const seen: Sql[] = [];
    const wrapDatabase: TestOptions['wrapDatabase'] = (database) =>
      watchDatabase(database, (statement) => / CROSS JOIN edges /.test(statement.text) && seen.push(statement));
    const { app, receive } = await openLinking(backend, { place, wrapDatabase });
    const { database } = app.kernel.services;
    await database.transaction((tx) =>
      tx.insertMany(
        upsertEdges,
        Array.from({ length: 5_000 }, (_, i) => edge(i)),
      ),
    );
    const { postgresDsn } = place.options;
    if (postgresDsn !== undefined) await runSql(postgresDsn, 'ANALYZE edges');
    await receive([write({})]);
    expect(seen).toHaveLength(1);
    const [{ text, values }] = seen as [Sql];
    const how = backend === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plan = JSON.stringify(await database.read.all({ text: `${how} ${text}`, values }));
    expect(plan).toMatch(
      backend === 'sqlite'
        ? /SEARCH edges USING (COVERING )?INDEX edges_by_target \(account_id=\? AND branch=\? AND target_type=\? AND target=\? AND visible_to=\?\)/
        : /(Index|Bitmap Index) (Only )?Scan (using|on) edges_by_target/,
    );
  });
});

const edge = (i: number) => ({
  account_id: caller().account_id,
  branch: 'main',
  source_type: 'entry',
  source: String(i).padStart(16, '0'),
  visible_to: '',
  relation: 'mentions',
  target_type: 'entity',
  target: `repos/acme/shop/pr-${i}`,
  confidence: 1,
  evidence_count: 1,
  first_seen: i,
  last_seen: i,
});
