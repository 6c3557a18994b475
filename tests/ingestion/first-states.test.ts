import { expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { exportLines, importLines } from '../transfer/support.ts';

const DOC = { entity_path: 'shop', key: 'doc' };
const at = (second: number) => `2025-01-01T00:00:0${second}.500Z`;
const host = () =>
  hostOf(
    connectorThat(async (events) =>
      events.map(({ payload }) => ({
        results: [{ operation: 'write' as const, ...DOC, value: null, merge: true, ...(payload as object) }],
      })),
    ),
  );

let ids = 0;
const deliver = async (app: TestApp, payload: object): Promise<string | undefined> => {
  const delivery = { connector: 'example', id: `d${ids++}`, event_type: 'build.failed', payload };
  return (await app.call('webhooks.receive', delivery)).results[0]?.status;
};
const shown = async (app: TestApp) => (await app.call('entries.read', DOC)).value;
const statesOf = async (app: TestApp): Promise<unknown[]> =>
  (await exportLines(app))
    .map((line) => JSON.parse(line) as { record: string })
    .filter(({ record }) => record === 'thing_state');

const FIRST = {
  occurred_at: at(3),
  rank: 5,
  value: { state: 'open', title: 'A' },
  items: { notes: { n1: { at: at(1), text: 'late' } } },
};

it.each(backends)(
  'a thing with one event has no state of its own, and still knows its time, on %s',
  async (backend) => {
    const [app, copy] = [
      await openTestApp(backend, { connectors: host() }),
      await openTestApp(backend, { connectors: host() }),
    ];
    try {
      expect(await deliver(app, FIRST)).toBe('written');
      expect(await statesOf(app)).toEqual([]);
      await importLines(copy, await exportLines(app));
      for (const one of [app, copy]) {
        const earlier = { value: { state: 'new', by: 'ada' }, items: { notes: { n1: { at: at(1), text: 'early' } } } };
        expect(await deliver(one, { occurred_at: at(2), ...earlier })).toBe('written');
        expect(await shown(one)).toEqual({
          state: 'open',
          title: 'A',
          by: 'ada',
          notes: [{ id: 'n1', at: at(1), text: 'late' }],
        });
        expect(await statesOf(one)).toHaveLength(1);
        expect(await deliver(one, { occurred_at: at(3), rank: 4, value: { title: 'B' } })).toBe('out_of_date');
        expect(await deliver(one, { occurred_at: at(4), value: { state: 'closed' } })).toBe('written');
        expect(await shown(one)).toMatchObject({ state: 'closed', title: 'A' });
      }
    } finally {
      await Promise.all([app.close(), copy.close()]);
    }
  },
);

it.each(backends)('what others write to a thing does not make it forget its time, on %s', async (backend) => {
  const app = await openTestApp(backend, { connectors: host() });
  try {
    await deliver(app, FIRST);
    await app.call('entries.write', { ...DOC, value: { state: 'open', title: 'B' } });
    expect(await deliver(app, { occurred_at: at(2), value: { state: 'new' } })).toBe('out_of_date');
    expect(await shown(app)).toEqual({ state: 'open', title: 'B' });
    expect(await deliver(app, { occurred_at: at(4), value: { state: 'closed' } })).toBe('written');
    expect(await shown(app)).toEqual({ state: 'closed', title: 'B' });
  } finally {
    await app.close();
  }
});

it.each(backends)('what its first version does not tell of a thing is kept, on %s', async (backend) => {
  const app = await openTestApp(backend, { connectors: host() });
  try {
    expect(await deliver(app, { occurred_at: at(3), rank: 6, deleted: true })).toBe('deleted');
    expect(await statesOf(app)).toHaveLength(1);
    expect(await deliver(app, FIRST)).toBe('out_of_date');
    expect(await deliver(app, { ...FIRST, occurred_at: at(4), rank: 1 })).toBe('written');
    expect(await deliver(app, { occurred_at: at(4), value: { state: 'new' } })).toBe('out_of_date');
    expect(await shown(app)).toMatchObject({ state: 'open' });
  } finally {
    await app.close();
  }
});
