import { eventTypes, operations } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExamples, newAccount } from '../contract/table.ts';
import { until } from '../faults/support/mem-process.ts';
import { backends, caller, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { openStream, range, type StreamedEvent } from './support.ts';

const X = { agent_id: 'agent/x' };
const write = (entity_path: string, key: string, extra: object = {}) => ({ entity_path, key, value: key, ...extra });
const seen = (events: readonly StreamedEvent[]) => events.map(({ event, data }) => `${event} ${data.key}`);

describe.each(backends)('the stream on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeEach(async () => {
    app = await openTestApp(backend);
    server = await listen(app);
  });
  afterEach(async () => {
    await server.close();
    await app.close();
  });

  it('sends each event under its name, with its number as id and one JSON object as data', async () => {
    const listener = await openStream(server.url);
    await app.call('entries.write', write('checkout/payments', 'retry', { confidence: 0.5 }), X);
    await app.call('entries.write', write('checkout/payments', 'retry', { value: 2 }), X);
    await app.call('entries.delete', { entity_path: 'checkout/payments', key: 'retry' }, X);
    const { commit_id } = await app.call('commits.create', { message: 'two', writes: [write('a', 'k')] }, X);
    await listener.has(5);
    expect(listener.events.map(({ event, id }) => [id, event])).toEqual([
      [1, 'memory_write'],
      [2, 'memory_write'],
      [3, 'delete'],
      [4, 'memory_write'],
      [5, 'commit'],
    ]);
    expect(listener.events[0]?.data).toEqual({
      seq: 1,
      position: expect.stringMatching(/^1-[0-9a-z]{1,6}$/),
      event_type: 'write',
      agent_id: 'agent/x',
      branch: 'main',
      entity_path: 'checkout/payments',
      key: 'retry',
      version: 1,
      created_at: '2026-01-01T00:00:00.000Z',
      confidence: 0.5,
      memory_type: 'fact',
      shared: true,
    });
    expect(listener.events[2]?.data).toMatchObject({ event_type: 'delete', key: 'retry', version: 3 });
    expect(listener.events[3]?.data).toMatchObject({ entity_path: 'a', key: 'k', commit_id });
    const commit = { entity_path: null, key: null, version: null, commit_id, message: 'two', entries_written: 1 };
    expect(listener.events[4]?.data).toMatchObject(commit);
    for (const { data } of listener.events) {
      expect(operations['log.stream'].output.safeParse(data).error).toBeUndefined();
      expect(data).not.toHaveProperty('details');
      expect(data).not.toHaveProperty('visible_to');
    }
  });

  it('sends an outcome with its reference and type', async () => {
    await app.call('entries.write', write('checkout', 'retry'), X);
    const listener = await openStream(server.url, { query: 'types=outcome' });
    const outcome = { outcome_ref: 'deploy-1', outcome_type: 'success' };
    const causal_entry_keys = [{ entity_path: 'checkout', key: 'retry' }];
    const { seq } = await app.call('outcomes.commit', { ...outcome, causal_entry_keys }, X);
    await listener.has(1);
    expect(listener.events).toMatchObject([
      { event: 'outcome', id: seq, data: { event_type: 'outcome', agent_id: 'agent/x', ...outcome } },
    ]);
  });

  it('is text/event-stream that says at once that it is there, when to come back and where it begins', async () => {
    for (let i = 1; i <= 3; i++) await app.call('entries.write', write('a', `k${i}`));
    const listener = await openStream(server.url);
    expect(listener.status).toBe(200);
    expect(listener.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(listener.headers['cache-control']).toContain('no-cache');
    expect(listener.headers['x-request-id']).toMatch(/^[0-9a-f]{16}-/);
    expect(listener.raw()).toMatch(/^: connected\nretry: 1000\nid: 3-[0-9a-z]+\n\n$/);
    expect(listener.events).toEqual([]);
  });

  it('begins with what is committed from now on, and replays from where it is asked to', async () => {
    for (const i of range(1, 5)) await app.call('entries.write', write('a', `k${i}`));
    const [live, all, some, none] = await Promise.all(
      [undefined, 0, 3, 5].map((after) => openStream(server.url, after === undefined ? {} : { after })),
    );
    await app.call('entries.write', write('a', 'k6'));
    await Promise.all([live?.has(1), all?.has(6), some?.has(3), none?.has(1)]);
    expect(live?.seqs()).toEqual([6]);
    expect(all?.seqs()).toEqual(range(1, 6));
    expect(some?.seqs()).toEqual([4, 5, 6]);
    expect(none?.seqs()).toEqual([6]);
  });

  it('goes on after Last-Event-ID without a gap and with nothing twice, whatever the address says', async () => {
    const first = await openStream(server.url, { after: 0 });
    for (const i of range(1, 4)) await app.call('entries.write', write('a', `k${i}`));
    await first.has(4);
    first.close();
    for (const i of range(5, 9)) await app.call('entries.write', write('a', `k${i}`));
    const second = await openStream(server.url, { after: 0, lastId: first.lastId() });
    await app.call('entries.write', write('a', 'k10'));
    await second.has(6);
    expect([...first.seqs(), ...second.seqs()]).toEqual(range(1, 10));
  });

  it('has a place to go on from before anything has happened', async () => {
    await app.call('entries.write', write('a', 'k1'));
    const first = await openStream(server.url);
    first.close();
    await app.call('entries.write', write('a', 'k2'));
    const second = await openStream(server.url, { lastId: first.lastId() });
    await second.has(1);
    expect(second.seqs()).toEqual([2]);
  });

  it.each([
    ['', ['memory_write one', 'memory_write two', 'memory_write three', 'commit null', 'delete one']],
    ['entity_path=*', ['memory_write one', 'memory_write two', 'memory_write three', 'commit null', 'delete one']],
    ['entity_path=svc', ['memory_write one', 'delete one']],
    ['entityPath=svc/*', ['memory_write two']],
    ['entity_path=svc/**', ['memory_write two', 'memory_write three']],
    ['entity_path=sv', []],
    ['types=write', ['memory_write one', 'memory_write two', 'memory_write three']],
    ['types=memory_write', ['memory_write one', 'memory_write two', 'memory_write three']],
    ['types=commit,delete', ['commit null', 'delete one']],
    ['types=delete,memory_write&entity_path=svc', ['memory_write one', 'delete one']],
    ['agent_id=agent/y', ['memory_write two']],
    ['agent_id=agent/y&branch=main&entity_path=svc', []],
    ['agent_id=agent/nobody', []],
  ])('with ?%s tells what was asked for, before and from now on', async (query, expected) => {
    const happen = async () => {
      await app.call('entries.write', write('svc', 'one', { value: Math.random() }), X);
      await app.call('entries.write', write('svc/a', 'two', { value: Math.random() }), { agent_id: 'agent/y' });
      await app.call('commits.create', { writes: [write('svc/a/b', 'three', { value: Math.random() })] }, X);
      await app.call('entries.delete', { entity_path: 'svc', key: 'one' }, X);
    };
    await happen();
    const listener = await openStream(server.url, { after: 0, query });
    const whole = await openStream(server.url, { after: 0 });
    await happen();
    await whole.has(10);
    await listener.has(expected.length * 2);
    expect(seen(listener.events)).toEqual([...expected, ...expected]);
  });

  it('sends an agent the visible events of others, and all of its own', async () => {
    const [asX, asY] = await Promise.all(
      ['agent/x', 'agent/y'].map((agent) => openStream(server.url, { after: 0, headers: { 'x-mem-agent-id': agent } })),
    );
    for (const round of [1, 2]) {
      await app.call('entries.write', write('notes', `open${round}`), X);
      await app.call('entries.write', write('notes', `own${round}`, { shared: false }), X);
      await app.call('commits.create', { writes: [write('notes', `kept${round}`, { shared: false })] }, X);
      await app.call('entries.delete', { entity_path: 'notes', key: `own${round}` }, X);
    }
    await app.call('entries.write', write('notes', 'last'), X);
    await asY?.has(3);
    await asX?.has(11);
    expect(seen(asY?.events ?? [])).toEqual(['memory_write open1', 'memory_write open2', 'memory_write last']);
    expect(asX?.seqs()).toEqual(range(1, 11));
    // The same once more, from the store.
    const later = await openStream(server.url, { after: 0, headers: { 'x-mem-agent-id': 'agent/y' } });
    await later.has(3);
    expect(later.raw()).not.toMatch(/own|kept/);
  });

  it('sends an account nothing of another', async () => {
    const [A, B] = ['aaaaaaaa-0000-4000-8000-00000000000a', 'bbbbbbbb-0000-4000-8000-00000000000b'];
    const received: Record<string, string[]> = { [A]: [], [B]: [] };
    for (const account_id of [A, B]) {
      await newAccount(app, account_id);
      await app.call('entries.write', write('before', account_id), { account_id });
      const subscription = await app.kernel.open('log.stream', { after: 0 }, caller({ account_id }));
      subscription.start({
        take(events) {
          received[account_id]?.push(...events.map((event) => subscription.toText(event)));
          return undefined;
        },
        end() {},
      });
    }
    for (const account_id of [A, B, B, A])
      await app.call('entries.write', write('now', account_id, { value: Math.random() }), { account_id });
    await until(() => [A, B].every((account) => received[account]?.length === 3), { what: 'three events each' });
    for (const account of [A, B])
      expect(received[account]?.map((text) => JSON.parse(text)).map(({ seq, key }) => [seq, key])).toEqual(
        range(1, 3).map((seq) => [seq, account]),
      );
  });

  it('charges one op and is counted, once for each stream', async () => {
    const { usage } = app.kernel;
    const before = usage.ops_charged;
    const [one] = await Promise.all([openStream(server.url), openStream(server.url)]);
    expect(usage.ops_charged - before).toBe(2);
    expect(usage.calls.get('log.stream')?.calls.get('ok')).toBe(2);
    expect(app.kernel.following).toBe(2);
    one?.close();
    await until(() => app.kernel.following === 1, { what: 'a reader that left to be forgotten' });
  });

  it('knows every type of event that the operations of the table cause', async () => {
    await createExamples(app, { mark: 'types', as: X });
    const listener = await openStream(server.url, { after: 0, headers: { 'x-mem-agent-id': 'agent/x' } });
    await app.call('entries.write', write('types', 'last'), X);
    await until(() => listener.events.at(-1)?.data.key === 'last', { what: 'the last event' });
    // Some are for other agents alone.
    const seqs = listener.seqs();
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    const found = new Set(listener.events.map(({ data }) => data.event_type));
    expect([...found].filter((type) => !(eventTypes as readonly string[]).includes(type))).toEqual([]);
    expect([...found]).toEqual(expect.arrayContaining(['write', 'delete', 'commit']));
  });
});
