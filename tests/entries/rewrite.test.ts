import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, exact, iso, refusal } from './support.ts';

describe.each(backends)('writing an entry again on %s', (backend) => {
  let app: TestApp;
  let n = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const newAddress = () => ({ entity_path: 'again', key: `k${++n}` });

  const full = {
    value: { a: 1, b: [1, 2] },
    confidence: 0.5,
    memory_type: 'belief' as const,
    shared: false,
    pattern_refs: ['p'],
    artifact_refs: [{ uri: 'x:y' }],
    ttl_seconds: 600,
  };

  it('the same value again is the same version, with no event and no audit row', async () => {
    const at = newAddress();
    const first = await app.call('entries.write', { ...at, value: { b: 1, a: [1, 2] } });
    const before = [await countRows(app, 'events'), await countRows(app, 'audit'), await countRows(app, 'versions')];
    app.clock.advance(1000);
    const again = await app.call('entries.write', { ...at, value: exact(' { "a" : [ 1,2 ], "\\u0062":1 } ') });
    expect(again).toMatchObject({ version: 1, unchanged: true, value: { b: 1, a: [1, 2] } });
    expect(again.provenance).toEqual(first.provenance);
    expect([await countRows(app, 'events'), await countRows(app, 'audit'), await countRows(app, 'versions')]).toEqual(
      before,
    );
  });

  it('the same value by another agent, or in another session, is still unchanged', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, value: 1 });
    const again = await app.call('entries.write', { ...at, value: 1, session_id: 's' }, { agent_id: 'agent/other' });
    expect(again).toMatchObject({ version: 1, unchanged: true, provenance: { agent_id: 'agent/test' } });
  });

  it.each([
    ['1', '1.0'],
    ['12345678901234567890', '12345678901234567891'],
    ['1e400', '1e401'],
    ['0', '-0'],
    ['[1,2]', '[2,1]'],
    ['"1"', '1'],
    ['{}', '[]'],
    ['null', 'false'],
    ['{"a":null}', '{}'],
  ])('%s and %s are different values', async (before, after) => {
    const at = newAddress();
    await app.call('entries.write', { ...at, value: exact(before) });
    expect(await app.call('entries.write', { ...at, value: exact(after) })).toMatchObject({
      version: 2,
      unchanged: false,
    });
  });

  it('a field that is restated changes nothing', async () => {
    const at = newAddress();
    const { ttl_seconds: _, ...fields } = full;
    const ttl_at = iso(app.clock.now() + 60_000);
    await app.call('entries.write', { ...at, ...fields, ttl_at });
    expect(await app.call('entries.write', { ...at, ...fields, ttl_at })).toMatchObject({
      version: 1,
      unchanged: true,
    });
  });

  it.each([
    ['confidence', { confidence: 0.4 }],
    ['type', { memory_type: 'fact' as const }],
    ['pattern refs', { pattern_refs: ['p', 'q'] }],
    ['no pattern refs', { pattern_refs: [] }],
    ['artifact refs', { artifact_refs: [] }],
    ['visibility', { shared: true }],
    ['expiry', { ttl_seconds: 700 }],
  ])('the same value with other %s is a new version that keeps the rest', async (_, change) => {
    const at = newAddress();
    const first = await app.call('entries.write', { ...at, ...full });
    const second = await app.call('entries.write', { ...at, value: full.value, ...change });
    expect(second).toMatchObject({ version: 2, unchanged: false });
    const { ttl_seconds: __, pattern_refs, ...fields } = { ...full, ...change };
    expect(second).toMatchObject(fields);
    expect(second.provenance.pattern_refs).toEqual(pattern_refs);
    if (!('ttl_seconds' in change)) expect(second.ttl_at).toBe(first.ttl_at);
  });

  it('another value keeps type and visibility, and resets the rest', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, ...full });
    expect(await app.call('entries.write', { ...at, value: 'other' })).toMatchObject({
      version: 2,
      memory_type: 'belief',
      shared: false,
      confidence: 0.7,
      artifact_refs: [],
      ttl_at: null,
      provenance: { pattern_refs: [] },
    });
  });

  it('after a delete even the same value is a new beginning', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, ...full });
    await app.call('entries.delete', at);
    expect(await app.call('entries.write', { ...at, value: full.value })).toMatchObject({
      version: 3,
      unchanged: false,
      memory_type: 'fact',
      shared: true,
      confidence: 0.7,
      ttl_at: null,
    });
  });

  it('after it expired even the same value is a new beginning', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, ...full, ttl_seconds: 5 });
    app.clock.advance(5000);
    const again = await app.call('entries.write', { ...at, value: full.value });
    expect(again).toMatchObject({ version: 2, unchanged: false, shared: true, memory_type: 'fact', ttl_at: null });
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2, value: full.value });
  });

  it('a private entry cannot be written over by another agent', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, value: 1, shared: false });
    const refused = await refusal(app.call('entries.write', { ...at, value: 2 }, { agent_id: 'agent/other' }));
    expect(refused).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await app.call('entries.read', at)).toMatchObject({ version: 1, value: 1 });
  });

  it.each([5e-324, 1e-310, -0, 1e-17, 1e-13, 2e-12, 0.1 + 0.2, 1 - 2 ** -53])(
    'a confidence of %d leaves the chain whole',
    async (confidence) => {
      const at = newAddress();
      const { confidence: kept } = await app.call('entries.write', { ...at, value: 1, confidence });
      expect(await app.call('entries.read', at)).toMatchObject({ confidence: kept });
      expect((await app.call('entries.verify', { entity_path: at.entity_path })).chain_breaks).toEqual([]);
    },
  );

  it('only its last author makes a shared entry private', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, value: 1 });
    const hide = { ...at, value: 2, shared: false };
    expect(await refusal(app.call('entries.write', hide, { agent_id: 'agent/other' }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await app.call('entries.read', at)).toMatchObject({ version: 1, value: 1 });
    expect(await app.call('entries.write', hide)).toMatchObject({ version: 2, shared: false });
  });

  it('a private entry that was deleted leaves its key to everybody', async () => {
    const at = newAddress();
    await app.call('entries.write', { ...at, value: 1, shared: false });
    await app.call('entries.delete', at);
    const written = await app.call('entries.write', { ...at, value: 2 }, { agent_id: 'agent/other' });
    expect(written).toMatchObject({ version: 3, shared: true });
    expect(await app.call('entries.read', at)).toMatchObject({ value: 2 });
  });
});
