import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('events from outside, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const at = { source: 'ci', entity_path: 'shop/builds', key: 'last' };

  it('an event becomes a shared entry of the agent of its source', async () => {
    const sent = await app.call('events.send', {
      ...at,
      value: { state: 'failed' },
      event_type: 'build.failed',
      id: 'b1',
    });
    expect(sent).toMatchObject({ duplicate: false, id: 'b1', status: 'written', version: 1, sender: 'external/ci' });
    const entry = await app.call('entries.read', { entity_path: 'shop/builds', key: 'last' });
    expect(entry).toMatchObject({
      value: { state: 'failed' },
      shared: true,
      confidence: 1,
      memory_type: 'experience',
      provenance: { agent_id: 'external/ci' },
      event: { source: 'ci', event_type: 'build.failed', id: 'b1', occurred_at: null },
    });
  });

  it('an event that comes again counts once, also with another body', async () => {
    const again = await app.call('events.send', { ...at, value: 'other', id: 'b1' });
    expect(again).toMatchObject({ duplicate: true, version: 1, event_type: 'build.failed' });
    expect(await app.call('events.list', { source: 'ci' })).toMatchObject({ events: [{ id: 'b1' }] });
  });

  it('a webhook writes, and its dead letter is listed', async () => {
    const got = await app.call('webhooks.receive', {
      connector: 'example',
      id: 'd1',
      event_type: 'build.failed',
      payload: { entity_path: 'shop', key: 'k', value: 1 },
    });
    expect(got).toMatchObject({
      duplicate: false,
      reason: expect.stringMatching(/^its number is odd/),
      results: [{ status: 'raw', entity_path: 'shop' }],
    });
    const again = await app.call('webhooks.receive', {
      connector: 'example',
      id: 'd3',
      event_type: 'build.failed',
      payload: { entity_path: 'shop', key: 'k', value: 1 },
    });
    expect(again.results[0]?.status).toBe('raw');
    expect((await app.call('dead_letters.list', {})).dead_letters).toHaveLength(2);
    expect((await app.call('connectors.list', {})).connectors).toMatchObject([
      { connector: 'example', totals: { received: 2 } },
    ]);
  });
});
