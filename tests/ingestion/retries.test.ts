import { setTimeout as sleep } from 'node:timers/promises';
import { type Glob, parseGlob } from '@mem-service/contract';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectorResult, InboundEvent } from '../../packages/server/src/connectors/types.ts';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { backends, fakeClock, openTestApp, type TestApp, type TestOptions } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { deliver, testConnector } from '../support/deliveries.ts';
import { openHosted, patch } from '../support/hosted.ts';

type MadeOf = (event: InboundEvent, no: number) => readonly ConnectorResult[] | string;

const write = { operation: 'write' as const, entity_path: 'shop', key: 'doc', value: { a: 1 } };
const scopedTo = (...globs: string[]): Partial<Caller> => {
  const scope = [globs.map((glob) => parseGlob(glob) as Glob)];
  return { key: { key_id: 'k', name: 'k', type: 'webhook', connector: 'example', read: scope, write: scope } };
};

describe.each(backends)('dead letters that are tried again, on %s', (backend) => {
  let app: TestApp;
  afterEach(() => app.close());

  const open = async (says: MadeOf, options: TestOptions = {}, config: object = {}) => {
    const calls = new Map<string, number>();
    const one = (event: InboundEvent) => {
      const no = (calls.get(event.id) ?? 0) + 1;
      calls.set(event.id, no);
      const made = says(event, no);
      return typeof made === 'string' ? { failure: { reason: made, passing: true } } : { results: made };
    };
    const manifest = { config: { batch_size: 1, retry_attempts: 3, retry_delay_seconds: 5, ...config } };
    const connectors = hostOf(connectorThat(async (events) => events.map(one), { manifest }));
    app = await openTestApp(backend, { connectors, ...options });
  };
  const receive = (id: string, as: Partial<Caller> = {}) =>
    app.call(
      'webhooks.receive',
      { connector: 'example', id, event_type: 'build.failed', payload: { entity_path: 'shop/a' } },
      as,
    );
  const retry = async () => {
    app.clock.advance(6_000);
    await app.jobs.sweep();
  };
  const letters = async () => (await app.call('dead_letters.list', {})).dead_letters;

  it('do what the key that received them may, and no more', async () => {
    const thing = { ...write, merge: true, thing: 'doc' };
    await open(({ id }, no) => {
      if (id === 'first') return [{ ...thing, entity_path: 'secret/x' }];
      return no === 1 ? 'not yet' : [{ ...thing, entity_path: 'evil/x', value: { b: 2 } }];
    });
    await receive('first');
    await receive('second', scopedTo('evil/**', 'shop/**'));
    await retry();
    expect(await letters()).toMatchObject([
      { id: 'second', next_attempt_at: null, reason: expect.stringContaining('does not have WRITE') },
    ]);
    expect(await app.call('entries.read', { entity_path: 'secret/x', key: 'doc' })).toMatchObject({ value: { a: 1 } });
  });

  it('hold up no others when one cannot be stored', async () => {
    const large = 'x'.repeat(700_000);
    await open(({ id }, no) => {
      if (id === 'before') return [{ ...write, merge: true, value: { a: large } }];
      if (no === 1) return 'not yet';
      if (id === 'broken') throw new Error('broken');
      return id === 'poison' ? [{ ...write, merge: true, value: { b: large } }] : [{ ...write, key: id }];
    });
    await receive('before');
    for (const id of ['poison', 'broken', 'sound']) await receive(id);
    await retry();
    expect((await letters()).toReversed()).toMatchObject([
      { id: 'poison', attempts: 2, reason: expect.stringContaining('bytes'), next_attempt_at: expect.any(String) },
      { id: 'broken', attempts: 2, reason: 'it could not be stored' },
    ]);
    expect(await app.call('entries.read', { entity_path: 'shop', key: 'sound' })).toMatchObject({ value: { a: 1 } });
  });

  it('are tried when their time has come, and not before', async () => {
    const times: number[] = [];
    await open(
      () => {
        times.push(Date.now());
        return 'not yet';
      },
      { clock: { ...fakeClock(), now: () => Date.now() }, sweepSeconds: 60 },
      { retry_delay_seconds: 1, retry_attempts: 2 },
    );
    // The delay begins when it is received, or when an attempt is stored: both are later than what is measured here.
    times.push(Date.now());
    await receive('late');
    for (let waited = 0; times.length < 4 && waited < 60; waited++) await sleep(100);
    const [sent = 0, , second = 0, third = 0] = times;
    for (const delay of [second - sent, third - second]) {
      expect(delay).toBeGreaterThanOrEqual(1000);
      expect(delay).toBeLessThan(4000);
    }
  });

  it('wait while their account is suspended', async () => {
    const tried: string[] = [];
    const failing = connectorThat(
      async (events) => {
        tried.push(...events.map(({ id }) => id));
        return events.map(() => ({ failure: { reason: 'not yet', passing: true } }));
      },
      { manifest: { event_types: ['build'] }, identify: testConnector().identify },
    );
    const service = await openHosted(backend, { app: { connectors: hostOf(failing) } });
    app = service.app;
    const accounts = [await service.newAccount({ name: 'One' }), await service.newAccount({ name: 'Two' })];
    for (const [i, { key }] of accounts.entries()) {
      const { key: token } = await service.newKey(key, { key_type: 'webhook', connector: 'example' });
      const body = JSON.stringify({ event_type: 'build', id: `of-${i}` });
      expect((await deliver(service.server.url, body, { token })).status).toBe(202);
    }
    const suspend = (status: string) =>
      service.control(patch(`/api/v1/internal/accounts/${accounts[0]?.account_id}`, { status }));
    expect((await suspend('suspended')).status).toBe(200);
    tried.length = 0;
    await retry();
    await retry();
    expect(tried).toEqual(['of-1', 'of-1']);
    expect((await suspend('active')).status).toBe(200);
    tried.length = 0;
    await retry();
    expect(tried.toSorted()).toEqual(['of-0', 'of-1']);
    await service.server.close();
  });
});
