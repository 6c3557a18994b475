import { expect, it } from 'vitest';
import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { backends, openTestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';

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
