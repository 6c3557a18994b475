import { expect, it } from 'vitest';
import { backends, openTestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { exportLines, importLines } from '../transfer/support.ts';

const write = { operation: 'write' as const, entity_path: 'shop', key: 'doc', value: { a: 1 } };

/** Fails for texts, and writes a thing for all else. */
const host = () =>
  hostOf(
    connectorThat(async (events) =>
      events.map(({ payload }) =>
        typeof payload === 'string'
          ? { failure: { reason: 'a text', passing: true } }
          : { results: [{ ...write, value: payload, merge: true, thing: 'doc', unplaced: true }] },
      ),
    ),
  );

it.each(backends)('all that came from outside is imported as it was exported, on %s', async (backend) => {
  const [from, to] = [
    await openTestApp(backend, { connectors: host() }),
    await openTestApp(backend, { connectors: host() }),
  ];
  try {
    const delivery = { connector: 'example', event_type: 'build.failed' };
    await from.call('webhooks.receive', { ...delivery, id: 'd1', payload: 'only a text' });
    await from.call('webhooks.receive', { ...delivery, id: 'd2', payload: { a: 1 } });
    await from.call('webhooks.receive', { ...delivery, id: 'd3', payload: { b: 2 } });
    await from.call('events.send', {
      source: 'ci',
      entity_path: 'shop',
      key: 'k',
      value: 1,
      event_type: 'my.own',
      id: 'e',
    });
    const lines = await exportLines(from);
    const kinds = lines.map((line) => (JSON.parse(line) as { record: string }).record);
    expect(kinds).toEqual(
      expect.arrayContaining(['delivery', 'dead_letter', 'thing_state', 'thing_place', 'connector_count']),
    );
    await importLines(to, lines);
    for (const name of ['events.list', 'dead_letters.list', 'connectors.list'] as const)
      expect(await to.call(name, {})).toEqual(await from.call(name, {}));
    expect(await to.call('webhooks.receive', { ...delivery, id: 'd2', payload: {} })).toMatchObject({
      duplicate: true,
    });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
});
