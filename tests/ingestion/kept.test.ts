import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
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
});
