import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from '../faults/support/client.ts';
import { startMem, until } from '../faults/support/mem-process.ts';
import { folderStore, postgresStore, type StoreAccess } from '../faults/support/store.ts';
import { type Backend, backends, openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';
import { DOER, flush, keysOf, writeAll } from './support.ts';

const at = (key: string) => ({ entity_path: 'checkout/payments', key });
const keys = ['a', 'b', 'c'];

async function placeFor(backend: Backend): Promise<StorePlace> {
  const place = await readyPlace(backend);
  onTestFinished(() => place.remove());
  return place;
}

async function fill(app: TestApp): Promise<void> {
  await writeAll(app, keys.map(at));
  for (const key of keys) await app.call('entries.read', at(key), DOER);
  await app.call('entries.list', {}, DOER);
  await app.call('sessions.record_context', { label: 'ticket', summary: 'timeouts' }, DOER);
  await app.call('sessions.record_action', { tool_name: 'deploy' }, DOER);
  await app.call('sessions.set_attributes', { attributes: { team: 'payments' } }, DOER);
}

describe('an open session', () => {
  it.each(backends)('goes on where it was after a restart, on %s', async (backend) => {
    const place = await placeFor(backend);
    const first = await openTestApp(backend, { place });
    await fill(first);
    const before = await first.call('sessions.explain', {}, DOER);
    await first.close();
    const second = await openTestApp(backend, { place, clock: first.clock });
    onTestFinished(() => second.close());
    expect(await second.call('sessions.explain', {}, DOER)).toEqual(before);
    expect(keysOf(before.causal_entries)).toEqual(keys);
    const answer = await second.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, DOER);
    expect(keysOf(answer.entries)).toEqual(keys);
  });

  it.each(backends)('loses nothing of what was read just before the service stops, on %s', async (backend) => {
    const place = await placeFor(backend);
    const first = await openTestApp(backend, { place });
    await writeAll(first, keys.map(at));
    await Promise.all(keys.map((key) => first.call('entries.read', at(key), DOER)));
    await first.close();
    const second = await openTestApp(backend, { place });
    onTestFinished(() => second.close());
    expect(keysOf((await second.call('sessions.explain', {}, DOER)).causal_entries).sort()).toEqual(keys);
    const { entries } = await second.call('entries.list', {});
    expect(entries.map(({ recall_count }) => recall_count)).toEqual([1, 1, 1]);
  });

  it('is the same on every server of a database', async () => {
    const place = await placeFor('postgres');
    const one = await openTestApp('postgres', { place });
    onTestFinished(() => one.close());
    const two = await openTestApp('postgres', { place, clock: one.clock });
    onTestFinished(() => two.close());
    await fill(one);
    await flush(one);
    expect(await two.call('sessions.explain', {}, DOER)).toEqual(await one.call('sessions.explain', {}, DOER));
    await writeAll(two, [at('d')]);
    await two.call('entries.read', at('d'), DOER);
    await flush(two);
    const answer = await one.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, DOER);
    expect(answer).toMatchObject({ affected_entries: 4, stale_reads: [] });
    expect(keysOf(answer.entries)).toEqual([...keys, 'd']);
    expect((await two.call('sessions.explain', {}, DOER)).causal_entries).toEqual([]);
    const again = await two.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, DOER);
    expect(again).toMatchObject({ duplicate: true, trace_id: answer.trace_id });
  });

  it('of two servers at once is sealed as one chain', async () => {
    const place = await placeFor('postgres');
    const servers = [await openTestApp('postgres', { place }), await openTestApp('postgres', { place })];
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))));
    const commit = (n: number) =>
      servers[n % 2]?.call('outcomes.commit', { outcome_ref: `x${n}`, outcome_type: 'success' }, DOER);
    await Promise.all(Array.from({ length: 10 }, (_, n) => commit(n)));
    const { traces } = await (servers[0] as TestApp).call('traces.list', {});
    expect(traces.map(({ sequence }) => sequence)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await (servers[1] as TestApp).call('traces.verify', {})).toMatchObject({ valid: 10, problems: [] });
  });

  const storeOf = (place: StorePlace): StoreAccess => {
    const { dataDir, postgresDsn } = place.options;
    return postgresDsn === undefined ? folderStore(dataDir) : postgresStore(postgresDsn, dataDir);
  };

  it.each(backends)('is there after the server was killed, on %s', async (backend) => {
    const store = storeOf(await placeFor(backend));
    const headers = { 'x-mem-agent-id': DOER.agent_id, 'x-mem-session-id': DOER.session_id };
    const first = await startMem(store.env);
    const client = new HttpClient(first.url);
    for (const key of keys) await client.write(at(key).entity_path, key, { about: key });
    const body = { label: 'ticket', summary: 'timeouts' };
    expect((await client.call('POST', '/api/v1/context', { headers, body })).status).toBe(201);
    for (const key of keys) await client.call('GET', `/api/v1/entries/checkout/payments/${key}`, { headers });
    // Reads are written within a moment, without a request for them.
    const written = async () => (await store.rows('SELECT session FROM sessions WHERE reads = 3')).length === 1;
    await until(written, { what: 'the reads to be written' });
    expect(await first.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    const second = await startMem(store.env);
    const next = new HttpClient(second.url);
    const { json } = await next.call('GET', '/api/v1/explain', { headers });
    expect(json).toMatchObject({ status: 'open', external_contexts: [{ label: 'ticket' }] });
    expect(json.causal_entries.map((entry: { value: unknown }) => entry.value)).toEqual(
      keys.map((key) => ({ about: key })),
    );
    const outcome = { outcome_ref: 'x', outcome_type: 'success' };
    expect((await next.call('POST', '/api/v1/outcomes', { headers, body: outcome })).json).toMatchObject({
      affected_entries: 3,
    });
    expect((await next.post('/api/v1/traces/verify', {})).json).toMatchObject({ valid: 1, problems: [] });
    await second.stop();
  });
});
