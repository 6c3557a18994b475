import { parseGlob } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectorResult, InboundEvent, Transformed } from '../../packages/server/src/connectors/types.ts';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, caller, openTestApp, type TestOptions } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';

type Does = (event: InboundEvent) => Transformed;

/** A service with one connector that does what the test says. */
async function withConnector(backend: Backend, does: Does, says: Parameters<typeof connectorThat>[1] = {}) {
  const options: TestOptions = { connectors: hostOf(connectorThat(async (events) => events.map(does), says)) };
  const errors: unknown[] = [];
  const app = await openTestApp(backend, { ...options, onError: (error) => errors.push(error) });
  onTestFinished(async () => {
    const failed = [...errors];
    await app.close();
    expect(failed).toEqual([]);
  });
  let count = 0;
  const receive = (payload: unknown, more: object = {}, as = {}) =>
    app.call(
      'webhooks.receive',
      { connector: 'example', id: `d-${++count}`, event_type: 'build.failed', payload, ...more } as never,
      as,
    );
  return { app, receive };
}

/** The payload is the results. */
const asGiven: Does = ({ payload }) => ({ results: payload as ConnectorResult[] });

const at = { entity_path: 'repos/acme/shop', key: 'pr-1' };
const merged = (value: object, occurred_at: string, more: object = {}) => [
  { operation: 'write', ...at, value, occurred_at, merge: true, ...more },
];

const scoped = (path: string): Principal => {
  const scope = [[parseGlob(path) as never]];
  return { key_id: 'k', name: 'scoped', type: 'service', read: scope, write: scope };
};

describe.each(backends)('webhooks on %s', (backend) => {
  it('a thing is one entry, whatever the order of deliveries, with its life as its history', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    await receive(merged({ state: 'open', title: 'Faster checkout' }, '2025-06-01T10:00:00Z'));
    const closed = await receive(merged({ state: 'merged', by: 'ana' }, '2025-06-01T12:00:00Z'));
    expect(closed.results).toEqual([{ operation: 'write', ...at, version: 2, status: 'written' }]);
    const late = await receive(merged({ state: 'review' }, '2025-06-01T11:00:00Z'));
    expect(late.results).toMatchObject([{ version: 2, status: 'out_of_date' }]);
    const same = await receive(merged({ state: 'merged' }, '2025-06-01T13:00:00Z'));
    expect(same.results).toMatchObject([{ version: 2, status: 'unchanged' }]);
    expect(await app.call('entries.read', at)).toMatchObject({
      value: { state: 'merged', title: 'Faster checkout', by: 'ana' },
      provenance: { agent_id: 'webhook/example' },
    });
    expect((await app.call('entries.history', at)).version_count).toBe(2);
    const timeline = await app.call('agents.timeline', { agent_id: 'webhook/example' });
    expect(timeline.events.filter(({ event_type }) => event_type === 'webhook_ingested')).toHaveLength(4);
  });

  it('a thing that is gone is deleted, and no older delivery brings it back', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    await receive(merged({ text: 'hello' }, '2025-06-01T10:00:00Z'));
    const gone = await receive(merged({}, '2025-06-01T12:00:00Z', { deleted: true }));
    expect(gone.results).toMatchObject([{ status: 'deleted', version: 2 }]);
    expect((await receive(merged({ text: 'edited' }, '2025-06-01T11:00:00Z'))).results).toMatchObject([
      { status: 'out_of_date' },
    ]);
    await expect(app.call('entries.read', at)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a thing moves with all that it holds when its path changes', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const thing = { thing: 'incident-7' };
    await receive(merged({ state: 'open', title: 'Slow' }, '2025-06-01T10:00:00Z', { ...thing, unplaced: true }));
    const moved = await receive(
      merged({ state: 'closed' }, '2025-06-01T09:00:00Z', { ...thing, entity_path: 'repos/acme/other' }),
    );
    expect(moved.results).toMatchObject([{ entity_path: 'repos/acme/other', status: 'written' }]);
    const entry = await app.call('entries.read', { ...at, entity_path: 'repos/acme/other' });
    expect(entry).toMatchObject({ value: { state: 'open', title: 'Slow' } });
    await expect(app.call('entries.read', at)).rejects.toMatchObject({ code: 'not_found' });
    // A later event that still names no path finds it there.
    const again = await receive(merged({ state: 'done' }, '2025-06-01T11:00:00Z', { ...thing, unplaced: true }));
    expect(again.results).toMatchObject([{ entity_path: 'repos/acme/other', version: 2 }]);
  });

  it('a delivery that comes again counts once, also at the same moment and with an id of any length', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const id = `${'x'.repeat(300)}1`;
    const results = merged({ state: 'open' }, '2025-06-01T10:00:00Z');
    const answers = await Promise.all([receive(results, { id }), receive(results, { id }), receive(results, { id })]);
    expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(2);
    expect((await receive(results, { id: `${'x'.repeat(300)}2` })).duplicate).toBe(false);
    expect((await app.call('connectors.read', { connector: 'example' })).totals).toEqual({
      received: 2,
      duplicates: 2,
      failures: 0,
      dead_letters: 0,
    });
  });

  it('a context is an entry below its path, found by search', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const context = {
      operation: 'record_context',
      label: 'Deploy freeze',
      summary: 'Nothing ships on Friday',
      source: 'chat',
    };
    const { results } = await receive([{ ...context, entity_path: 'comms/chat/general' }, context]);
    expect(results.map(({ status }) => status)).toEqual(['context', 'context']);
    const { entries } = await app.call('entries.search', { query: 'ships Friday' });
    expect(entries.map(({ entity_path }) => entity_path).toSorted()).toEqual(['comms/chat/general', 'events']);
  });

  it('secrets are replaced by marks, in values and in what is kept raw', async () => {
    const { app, receive } = await withConnector(backend, ({ payload, ...event }) =>
      event.event_type === 'other'
        ? { failure: { reason: 'password=hunter2hunter2 was wrong', passing: false } }
        : asGiven({ payload, ...event }),
    );
    const token = `ghp_${'a1B2'.repeat(9)}`;
    await receive([{ operation: 'write', ...at, value: { note: `use ${token}`, password: 'sesame-open-1' } }]);
    const raw = await receive({ repository: { full_name: 'acme/shop' }, token }, { event_type: 'other' });
    const text = JSON.stringify([
      await app.call('entries.list', { limit: 1000 }),
      await app.call('dead_letters.list', {}),
      raw,
    ]);
    for (const secret of [token, 'sesame-open-1', 'hunter2hunter2']) expect(text).not.toContain(secret);
    expect(text).toContain('[REDACTED:');
  });

  it('an event that fails is kept raw, tried again and replayed', async () => {
    let isBroken = true;
    const { app, receive } = await withConnector(backend, (event) =>
      isBroken ? { failure: { reason: 'upstream is down', passing: true } } : asGiven(event),
    );
    const first = await receive(merged({ state: 'open' }, '2025-06-01T10:00:00Z'));
    await receive(merged({ state: 'closed' }, '2025-06-01T11:00:00Z'));
    expect(first).toMatchObject({ reason: 'upstream is down', results: [{ status: 'raw', entity_path: 'events' }] });
    const raw = first.results[0] as { entity_path: string; key: string };
    for (const attempts of [2, 3, 4, 4]) {
      app.clock.advance(6000);
      await app.jobs.sweep();
      const { dead_letters } = await app.call('dead_letters.list', {});
      expect(dead_letters.map((letter) => letter.attempts)).toEqual([attempts, attempts]);
    }
    expect(await app.call('dead_letters.replay', { letter_id: first.letter_id as string })).toMatchObject({
      replayed: false,
      attempts: 5,
    });
    isBroken = false;
    const replayed = await app.call('dead_letters.replay', { letter_id: first.letter_id as string });
    expect(replayed).toMatchObject({ replayed: true, results: [{ ...at, status: 'written' }] });
    expect(await app.call('entries.read', at)).toMatchObject({ value: { state: 'open' } });
    const { entity_path, key } = raw;
    await expect(app.call('entries.read', { entity_path, key })).rejects.toMatchObject({ code: 'not_found' });
    expect((await app.call('dead_letters.list', {})).dead_letters).toHaveLength(1);
    const [, delivery] = (await app.call('events.list', {})).events;
    expect(delivery).toMatchObject({ status: 'written', ...at });
  });

  it('what a key with a scope received is not written outside of it when it is tried again', async () => {
    let isBroken = true;
    const { app, receive } = await withConnector(
      backend,
      (event) => (isBroken ? { failure: { reason: 'down', passing: true } } : asGiven(event)),
      { manifest: { default_entity_path: 'hooks' } },
    );
    await receive(merged({ state: 'open' }, '2025-06-01T10:00:00Z'), {}, { key: scoped('hooks') });
    isBroken = false;
    app.clock.advance(6000);
    await app.jobs.sweep();
    await expect(app.call('entries.read', at)).rejects.toMatchObject({ code: 'not_found' });
    const { dead_letters } = await app.call('dead_letters.list', {});
    expect(dead_letters).toMatchObject([
      { next_attempt_at: null, reason: expect.stringContaining('does not have WRITE') },
    ]);
  });

  it('nothing is stored where one result is outside of the scope of the key', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const results = [
      ...merged({ a: 1 }, '2025-06-01T10:00:00Z'),
      { operation: 'write', entity_path: 'x', key: 'k', value: 1 },
    ];
    const refused = receive(results, {}, { key: scoped('repos/**') });
    await expect(refused).rejects.toMatchObject({ code: 'forbidden', detail: { entity_path: 'x' } });
    expect((await app.call('entries.list', {})).entries).toEqual([]);
    expect((await app.call('events.list', {})).events).toEqual([]);
  });

  it('a delivery of which a part is refused is not stored in part', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const own = { entity_path: 'private', key: 'k' };
    await app.call('entries.write', { ...own, value: 1, shared: false });
    const results = [...merged({ a: 1 }, '2025-06-01T10:00:00Z'), { operation: 'write', ...own, value: 2 }];
    const other = [{ operation: 'write', entity_path: 'fine', key: 'k', value: 1 }];
    const answers = await Promise.allSettled([receive(other), receive(results), receive(other)]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(app.call('entries.read', at)).rejects.toMatchObject({ code: 'not_found' });
    expect((await app.call('events.list', {})).events).toHaveLength(2);
  });

  it('links are edges, also to what comes later', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const deploy = { entity_path: 'repos/acme/shop', key: 'deployment-5' };
    const links = [
      { relation: 'deploys', to: 'repos/acme/shop/pr-1' },
      { relation: 'by', to: 'people/github/ana' },
      { relation: 'x'.repeat(100), to: 'too long' },
    ];
    await receive([{ operation: 'write', ...deploy, value: { state: 'success' }, links }]);
    await receive(merged({ state: 'open' }, '2025-06-01T10:00:00Z'));
    const { edges } = (await app.call('graph.neighbors', {
      entity: 'repos/acme/shop/pr-1',
      type: 'entry',
    })) as never as {
      edges: { relation: string; source: string }[];
    };
    expect(edges).toContainEqual(
      expect.objectContaining({ relation: 'deploys', source: 'repos/acme/shop/deployment-5' }),
    );
    const ana = JSON.stringify(await app.call('graph.neighbors', { entity: 'people/github/ana' }));
    expect(ana).toContain('deployment-5');
  });

  it('an outcome is recorded for what earlier work of the reference read, where the operator asks for it', async () => {
    const { app, receive } = await withConnector(backend, asGiven, { records_outcomes: true });
    const advice = { entity_path: 'shop', key: 'advice' };
    await app.call('entries.write', { ...advice, value: 'retry three times' });
    await app.call('outcomes.commit', {
      outcome_ref: 'deploy-5',
      outcome_type: 'success',
      causal_entry_keys: [advice],
    });
    const outcome = { outcome_ref: 'deploy-5', outcome_type: 'failure' };
    await receive([{ operation: 'write', ...at, value: 1, outcome }]);
    await receive([{ operation: 'write', ...at, value: 2, outcome: { ...outcome, outcome_ref: 'nobody' } }]);
    const { outcomes } = await app.call('outcomes.list', {});
    expect(outcomes.map(({ agent_id, outcome_type }) => [agent_id, outcome_type])).toEqual([
      ['webhook/example', 'failure'],
      ['agent/test', 'success'],
    ]);
    expect(await app.call('entries.read', advice)).toMatchObject({ outcome_count: 2, failure_count: 1 });
  });

  it('erasing an entry erases what is kept about it, and its delivery stays known', async () => {
    const { app, receive } = await withConnector(backend, (event) =>
      event.event_type === 'other' ? { failure: { reason: 'no', passing: true } } : asGiven(event),
    );
    await receive(merged({ state: 'open' }, '2025-06-01T10:00:00Z', { thing: 't' }), { id: 'one' });
    const failed = await receive({ secret: 'plans' }, { event_type: 'other' });
    const raw = failed.results[0] as { entity_path: string; key: string };
    for (const { entity_path, key } of [at, raw]) await app.call('entries.erase', { entity_path, key });
    // Nor do the events of its deliveries name it.
    const { events } = await app.call('log.list', { limit: 100 });
    expect(JSON.stringify(events)).not.toContain(at.key);
    expect(events.some(({ event_type }) => event_type === 'webhook_ingested')).toBe(true);
    const lines: string[] = [];
    for await (const line of await app.kernel.list('transfer.export', {}, caller())) lines.push(line);
    const kinds = lines.map((line) => (JSON.parse(line) as { record: string }).record);
    for (const kind of ['thing_state', 'thing_place', 'dead_letter']) expect(kinds).not.toContain(kind);
    expect((await receive([], { id: 'one' })).duplicate).toBe(true);
  });

  it('ids are forgotten after their time', async () => {
    const { app, receive } = await withConnector(backend, asGiven);
    const results = [{ operation: 'write', ...at, value: 1 }];
    await receive(results, { id: 'one' });
    app.clock.advance(29 * 86_400_000);
    await app.jobs.sweep();
    expect((await receive(results, { id: 'one' })).duplicate).toBe(true);
    app.clock.advance(2 * 86_400_000);
    await app.jobs.sweep();
    expect((await app.call('events.list', {})).events).toEqual([]);
    expect((await receive(results, { id: 'one' })).duplicate).toBe(false);
  });
});
