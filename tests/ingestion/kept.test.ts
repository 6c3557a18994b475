import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { unchanged } from '../../packages/server/src/kernel/index.ts';
import { deleteOldLetters } from '../../packages/server/src/modules/ingestion/make-letter.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';

const large = 'x'.repeat(700_000);

describe.each(backends)('events that are kept as they came, on %s', (backend) => {
  let app: TestApp;
  afterEach(() => app.close());

  const write = { operation: 'write' as const, entity_path: 'shop', key: 'doc', merge: true };
  const open = async () => {
    const connector = connectorThat(async (events) =>
      events.map(({ payload }) => ({ results: (payload as { results: ConnectorResult[] }).results })),
    );
    app = await openTestApp(backend, { connectors: hostOf(connector) });
  };
  const receive = (id: string, ...results: ConnectorResult[]) =>
    app.call('webhooks.receive', {
      connector: 'example',
      id,
      event_type: 'build.failed',
      payload: { entity_path: 'shop', results },
    });

  it('because their thing would become too large', async () => {
    await open();
    await receive('first', { ...write, value: { a: large } });
    const other: ConnectorResult = { ...write, key: 'other', value: { c: 1 } };
    const second = await receive('second', other, { ...write, value: { b: large } });
    expect(second).toMatchObject({
      reason: expect.stringContaining('bytes'),
      letter_id: expect.any(String),
      results: [
        { status: 'raw', entity_path: 'shop' },
        { status: 'written', key: 'other' },
      ],
    });
    const [raw] = second.results;
    expect(await app.call('entries.read', { entity_path: 'shop', key: raw?.key ?? '' })).toMatchObject({
      value: { event_type: 'build.failed', reason: second.reason },
    });
    expect((await app.call('dead_letters.list', {})).dead_letters).toMatchObject([{ id: 'second', key: raw?.key }]);
    expect(await receive('second')).toMatchObject({ duplicate: true });
  });

  it('and a result says whether it was new, known or late', async () => {
    await open();
    const state = (value: object, second: number): ConnectorResult => ({
      ...write,
      value,
      occurred_at: `2025-01-01T00:00:0${second}Z`,
    });
    const statuses = [];
    for (const [i, one] of [state({ a: 1 }, 5), state({ a: 1 }, 5), state({ a: 2 }, 4)].entries())
      statuses.push((await receive(`s${i}`, one)).results[0]?.status);
    statuses.push(
      (await receive('raw', { ...write, merge: false, key: 'r', value: {}, raw: true })).results[0]?.status,
    );
    expect(statuses).toEqual(['written', 'unchanged', 'out_of_date', 'raw']);
  });

  it('and ids of addresses with other scopes are apart', async () => {
    await open();
    const scope = [[{ kind: 'exact' as const, path: 'shop' }]];
    const key = { key_id: 'k', name: 'k', type: 'webhook' as const, connector: 'example', read: scope, write: scope };
    const delivery = { connector: 'example', id: 'same', event_type: 'build.failed' };
    const payload = { entity_path: 'shop', results: [{ ...write, value: { a: 1 } }] };
    const send = (as: object) => app.call('webhooks.receive', { ...delivery, payload }, as);
    const got = [await send({}), await send({ key }), await send({}), await send({ key })];
    expect(got.map(({ duplicate }) => duplicate)).toEqual([false, false, true, true]);
  });

  it('and why is nowhere after an erasure', async () => {
    app = await openTestApp(backend);
    const payload = { entity_path: 'shop', key: 'k', value: 1 };
    const failed = await app.call('webhooks.receive', {
      ...{ connector: 'example', id: 'd1', event_type: 'build.failed' },
      payload,
    });
    const reasonOf = async () => (await app.call('connectors.read', { connector: 'example' })).last_failure?.reason;
    expect(await reasonOf()).toBe(failed.reason);
    const [{ entity_path, key } = { entity_path: '', key: '' }] = failed.results;
    await app.call('entries.erase', { entity_path, key });
    expect(await reasonOf()).toBe('');
  });

  it.each([
    ['many', { letters: 2, bytes: 1e9 }],
    ['large', { letters: 1000, bytes: 500 }],
  ])('and the oldest of too %s are dropped', async (_, most) => {
    app = await openTestApp(backend);
    for (const id of ['d1', 'd3', 'd5']) {
      const payload = { entity_path: 'shop', key: 'k', value: 'x'.repeat(200) };
      await app.call('webhooks.receive', { connector: 'example', id, event_type: 'build.failed', payload });
    }
    await app.kernel.work(caller(), 'test', async (work) => {
      await deleteOldLetters(work, most);
      return unchanged(null);
    });
    const { dead_letters } = await app.call('dead_letters.list', {});
    expect(dead_letters.map(({ id }) => id)).toEqual(['d5', 'd3']);
  });
});
