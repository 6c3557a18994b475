import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('writing and reading on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('a write is read back exactly, at version 1', async () => {
    const value = { attempts: 5, note: 'naïve — ✓', nested: [null, true, { a: [] }] };
    const written = await app.call('entries.write', { entity_path: 'svc/pay', key: 'retry', value, confidence: 0.9 });
    expect(written).toMatchObject({ version: 1, unchanged: false, confidence: 0.9, value });
    const read = await app.call('entries.read', { entity_path: 'svc/pay', key: 'retry' });
    expect(read).toMatchObject({ entity_path: 'svc/pay', key: 'retry', version: 1, value, branch: 'main' });
  });

  it('a second value makes a second version, and the first stays readable', async () => {
    await app.call('entries.write', { entity_path: 'svc/pay', key: 'owner', value: 'a' });
    app.clock.advance(1000);
    const between = new Date(app.clock.now()).toISOString();
    app.clock.advance(1000);
    await app.call('entries.write', { entity_path: 'svc/pay', key: 'owner', value: 'b' });
    const at = { entity_path: 'svc/pay', key: 'owner' };
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2, value: 'b' });
    expect(await app.call('entries.read', { ...at, version: 1 })).toMatchObject({ version: 1, value: 'a' });
    expect(await app.call('entries.read', { ...at, as_of: between })).toMatchObject({ version: 1, value: 'a' });
  });

  it('the same value again is no new version', async () => {
    const write = { entity_path: 'svc/pay', key: 'same', value: { b: 1, a: [1, 2] } };
    await app.call('entries.write', write);
    const again = await app.call('entries.write', { ...write, value: { a: [1, 2], b: 1 } });
    expect(again).toMatchObject({ version: 1, unchanged: true });
    expect(await app.call('entries.write', { ...write, confidence: 0.5 })).toMatchObject({
      version: 2,
      unchanged: false,
    });
  });

  it('search finds a word in the value', async () => {
    await app.call('entries.write', {
      entity_path: 'svc/mail',
      key: 'k',
      value: { text: 'Gateways were retrying too often' },
    });
    const { entries } = await app.call('entries.search', { query: 'gateway retries' });
    expect(entries[0]).toMatchObject({ entity_path: 'svc/mail', key: 'k' });
  });
});
