import type { Request } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { refusal } from './support.ts';

type AggregateRequest = Request<'entries.aggregate'>;

describe.each(backends)('aggregating on %s', (backend) => {
  let app: TestApp;
  const aggregate = (input: Partial<AggregateRequest>, agent_id = 'agent/test') =>
    app.call('entries.aggregate', { entity_path: 'agg/**', ...input }, { agent_id });

  beforeAll(async () => {
    app = await openTestApp(backend);
    const values: [string, string, unknown, object?][] = [
      ['agg/eu', '1', { cost: 10, region: 'eu', team: { name: 'a' }, items: [{ n: 1 }, { n: 2 }] }],
      ['agg/eu', '2', { cost: 20.5, region: 'eu', team: { name: 'b' } }],
      ['agg/us', '3', { cost: '30', region: 'us', team: { name: 'a' }, items: [{ n: 3 }] }],
      ['agg/us', '4', { cost: null, region: 'us' }],
      ['agg/us/deep', '5', [{ cost: 1 }, { cost: 2, region: 'list' }, 'text']],
      ['agg/us', 'private', { cost: 1000, region: 'us' }, { shared: false }],
      ['agg/us', 'expired', { cost: 5000, region: 'us' }, { ttl_seconds: 1 }],
      ['agg/us', 'deleted', { cost: 7000, region: 'us' }],
    ];
    for (const [entity_path, key, value, more] of values)
      await app.call('entries.write', { entity_path, key, value, ...more });
    await app.call('entries.delete', { entity_path: 'agg/us', key: 'deleted' });
    app.clock.advance(1000);
  });
  afterAll(() => app.close());

  const other = 'agent/other';

  it('counts rows, where a list is one row an element', async () => {
    expect(await aggregate({}, other)).toEqual({
      entity_path: 'agg/**',
      entries_scanned: 5,
      op: 'count',
      field: null,
      row_path: null,
      total_rows: 7,
      count: 7,
    });
  });

  it.each<[AggregateRequest['op'], object]>([
    ['sum', { sum: 63.5, n: 5 }],
    ['mean', { mean: 12.7, n: 5 }],
    ['min', { min: 1, n: 5 }],
    ['max', { max: 30, n: 5 }],
    ['stats', { n: 5, sum: 63.5, mean: 12.7, min: 1, max: 30 }],
  ])('%s takes numbers and numeric texts, and takes nothing for zero', async (op, expected) => {
    expect(await aggregate({ op, field: 'cost' }, other)).toMatchObject({
      op,
      field: 'cost',
      total_rows: 7,
      ...expected,
    });
  });

  it('groups by a field, what has none under null', async () => {
    const { groups, group_by } = await aggregate({ op: 'sum', field: 'cost', group_by: 'region' }, other);
    expect(group_by).toBe('region');
    expect(groups).toEqual([
      { key: 'eu', sum: 30.5, n: 2 },
      { key: 'list', sum: 2, n: 1 },
      { key: 'null', sum: 1, n: 1 },
      { key: 'us', sum: 30, n: 1 },
    ]);
  });

  it('reads dotted paths', async () => {
    const { groups } = await aggregate({ entity_path: 'agg/eu', group_by: 'team.name' });
    expect(groups).toEqual([
      { key: 'a', count: 1 },
      { key: 'b', count: 1 },
    ]);
  });

  it('row_path names a list inside the value', async () => {
    const rows = { entity_path: 'agg/*', row_path: 'items', op: 'stats' as const, field: 'n' };
    expect(await aggregate(rows, other)).toMatchObject({ row_path: 'items', total_rows: 5, n: 3, sum: 6, max: 3 });
  });

  it.each<[string, number]>([
    ['agg/us', 2],
    ['agg/*', 4],
    ['agg/us/**', 1],
    ['*', 5],
    ['agg', 0],
  ])('takes the entries at %s', async (entity_path, entries_scanned) => {
    expect(await aggregate({ entity_path }, other)).toMatchObject({ entity_path, entries_scanned });
  });

  it('what an agent may not see is not reduced', async () => {
    const sum = { op: 'sum' as const, field: 'cost', entity_path: 'agg/us' };
    expect(await aggregate(sum, other)).toMatchObject({ sum: 30, entries_scanned: 2 });
    expect(await aggregate(sum)).toMatchObject({ sum: 1030, entries_scanned: 3 });
  });

  it('nothing gives no numbers', async () => {
    const nothing = { entity_path: 'agg/nothing', op: 'stats' as const, field: 'cost' };
    expect(await aggregate(nothing)).toMatchObject({ n: 0, sum: 0, mean: null, min: null, max: null, total_rows: 0 });
  });

  it('an op that needs a field is refused without one', async () => {
    for (const op of ['sum', 'mean', 'min', 'max', 'stats'] as const)
      expect(await refusal(aggregate({ op }))).toMatchObject({ code: 'invalid_input', errors: [{ path: 'field' }] });
  });

  it('takes every entry of a path that has very many', async () => {
    const writes = Array.from({ length: 1203 }, (_, i) => ({
      entity_path: `big/${i % 4}`,
      key: `k${i}`,
      value: { i },
      shared: i % 2 === 0,
    }));
    await app.call('commits.create', { writes: writes.slice(0, 1000) });
    await app.call('commits.create', { writes: writes.slice(1000) });
    const sum = { entity_path: 'big/*', op: 'sum' as const, field: 'i' };
    expect(await aggregate(sum)).toMatchObject({ entries_scanned: 1203, n: 1203, sum: (1202 * 1203) / 2 });
    expect(await aggregate(sum, other)).toMatchObject({ entries_scanned: 602, sum: 601 * 602 });
  });
});
