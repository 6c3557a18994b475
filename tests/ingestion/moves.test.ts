import { parseGlob } from '@mem-service/contract';
import { expect, it } from 'vitest';
import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { backends, openTestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { exportLines } from '../transfer/support.ts';

const thing = { operation: 'write' as const, key: 'doc', merge: true, thing: 'doc' };
const at = (second: number) => ({ occurred_at: `2025-01-01T00:00:0${second}Z` });
/** A note does not say where its incident is; two of the others do. */
const DELIVERIES: readonly ConnectorResult[] = [
  { ...thing, ...at(1), entity_path: 'a', value: { a: 1 }, links: [{ relation: 'assigned_to', to: 'people/ada' }] },
  {
    ...thing,
    ...at(2),
    entity_path: 'lost',
    unplaced: true,
    value: { b: 1 },
    links: [{ relation: 'noted_by', to: 'people/bob' }],
  },
  { ...thing, ...at(3), entity_path: 'b', value: { c: 1 }, links: [{ relation: 'part_of', to: 'services/web' }] },
  {
    ...thing,
    ...at(4),
    entity_path: 'lost',
    unplaced: true,
    value: { d: 1 },
    links: [{ relation: 'noted_by', to: 'people/cy' }],
  },
];

const ordersOf = (items: readonly number[]): number[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((one) => ordersOf(items.filter((i) => i !== one)).map((rest) => [one, ...rest]));

it.each(backends)('a thing that moves keeps its edges, in whatever order it is told of, on %s', async (backend) => {
  const connector = connectorThat(async (events) =>
    events.map(({ id }) => {
      const [order, no] = id.split('-').map(Number) as [number, number];
      const one = DELIVERIES[no] as Extract<ConnectorResult, { operation: 'write' }>;
      return { results: [{ ...one, entity_path: `o${order}/${one.entity_path}`, thing: `doc-${order}` }] };
    }),
  );
  const app = await openTestApp(backend, { connectors: hostOf(connector) });
  try {
    for (const [i, order] of ordersOf([0, 1, 2, 3]).entries()) {
      const places = new Set<string>();
      for (const no of order) {
        const delivery = { connector: 'example', id: `${i}-${no}`, event_type: 'build.failed', payload: {} };
        for (const { entity_path } of (await app.call('webhooks.receive', delivery)).results) places.add(entity_path);
      }
      const { edges } = await app.call('graph.neighbors', { entity: `o${i}/b/doc`, depth: 1, direction: 'out' });
      const out = edges
        .filter(({ source }) => source === `o${i}/b/doc`)
        .map(({ relation, target }) => `${relation} ${target}`);
      const stated = out.filter((edge) => !edge.startsWith('moved_from'));
      expect([order, stated.toSorted()]).toEqual([
        order,
        ['assigned_to people/ada', 'noted_by people/bob', 'noted_by people/cy', 'part_of services/web'],
      ]);
      expect(out.length - stated.length).toBe(places.size - 1);
    }
  } finally {
    await app.close();
  }
});

it.each(backends)('a key is not told where a thing went that left its scope, on %s', async (backend) => {
  const connector = connectorThat(async (events) =>
    events.map(({ payload }) => ({ results: [payload as ConnectorResult] })),
  );
  const app = await openTestApp(backend, { connectors: hostOf(connector) });
  try {
    const scope = [[parseGlob('a/**') as never]];
    const key = { key_id: 'k', name: 'k', type: 'webhook' as const, connector: 'example', read: scope, write: scope };
    let count = 0;
    const receive = (second: number, entity_path: string, by: object = {}) =>
      app.call(
        'webhooks.receive',
        {
          connector: 'example',
          id: `d-${++count}`,
          event_type: 'build.failed',
          payload: { ...thing, ...at(second), entity_path, value: { second } },
        },
        by,
      );
    await receive(1, 'a/docs', { key });
    await receive(2, 'hidden/docs');
    const refused = receive(3, 'a/docs', { key });
    await expect(refused).rejects.toMatchObject({
      code: 'forbidden',
      message: 'the event is about a thing that is now where this key does not have WRITE',
      detail: { permission: 'WRITE' },
    });
    await expect(receive(4, 'hidden/docs', { key })).rejects.toMatchObject({
      message: 'this key does not have WRITE on hidden/docs',
    });
  } finally {
    await app.close();
  }
});

it.each(backends)('a thing is erased with the places that it had before, on %s', async (backend) => {
  const connector = connectorThat(async (events) =>
    events.map(({ payload }) => ({ results: [payload as ConnectorResult] })),
  );
  const app = await openTestApp(backend, { connectors: hostOf(connector) });
  try {
    const other = { ...thing, thing: 'other', key: 'other' };
    const events = [
      { ...thing, ...at(1), entity_path: 'a', value: { text: 'private-one' } },
      { ...other, ...at(1), entity_path: 'a', value: { text: 'stays' } },
      { ...thing, ...at(2), entity_path: 'b', value: { text: 'private-two' } },
      { ...thing, ...at(3), entity_path: 'c', value: { text: 'private-three' } },
      { ...other, ...at(2), entity_path: 'd', value: { text: 'stays too' } },
    ];
    for (const [i, payload] of events.entries())
      await app.call('webhooks.receive', { connector: 'example', id: `d-${i}`, event_type: 'build.failed', payload });
    // Anybody can say that a thing was elsewhere.
    await app.call('graph.link', {
      source: 'c/doc',
      source_type: 'entry',
      relation: 'moved_from',
      target: 'd/other',
      target_type: 'entity',
    });
    const place = { entity_path: 'c', key: 'doc' };
    const scope = [[parseGlob('c') as never]];
    const key = { key_id: 'k', name: 'k', type: 'service' as const, read: scope, write: scope };
    const narrow = await app.call('entries.erase', { ...place, dry_run: true }, { key });
    expect(narrow.erased.entries).toBe(1);
    const counted = await app.call('entries.erase', { ...place, dry_run: true });
    const { erased } = await app.call('entries.erase', place);
    expect(erased).toEqual(counted.erased);
    expect(erased).toMatchObject({ entries: 3 });
    const lines = (await exportLines(app)).join('\n');
    expect(lines).not.toMatch(/private-(one|two|three)/);
    expect(lines).toMatch(/stays"/);
    expect(lines).toMatch(/stays too/);
    const { versions } = await app.call('entries.history', { entity_path: 'a', key: 'other' });
    expect(versions).not.toEqual([]);
  } finally {
    await app.close();
  }
});
