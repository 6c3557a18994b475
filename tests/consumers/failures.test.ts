import { describe, expect, it, onTestFinished } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type Database, StorageError, sql } from '../../packages/server/src/db/index.ts';
import { renderMetrics } from '../../packages/server/src/http/metrics.ts';
import { type Consumer, type Kernel, SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { purge } from '../../packages/server/src/modules/accounts/end.ts';
import { dump } from '../contract/dump.ts';
import { until } from '../faults/support/mem-process.ts';
import { backends, readyPlace, type TestApp } from '../support/app.ts';
import { openHosted, remove, write } from '../support/hosted.ts';
import { collector, cursorOf, logOf, moduleOf, note, openWith, writeKeys } from './support.ts';

type Letter = { seq: number; attempts: number; error: string; retry: number };

const lettersOf = (app: TestApp): Promise<Letter[]> =>
  app.kernel.services.database
    .forAccount(SELF_HOSTED_ACCOUNT)
    .read.all<Letter>(
      sql`SELECT seq, attempts, error, retry FROM consumer_dead_letters WHERE account_id = ${SELF_HOSTED_ACCOUNT} ORDER BY seq`,
    );

/** Fails on some keys until the test changes that. */
function picky(over: Partial<Consumer> = {}) {
  const bad = new Set<string>();
  const calls: string[][] = [];
  const made = collector({
    name: 'test.picky',
    async handle(_, events) {
      calls.push(events.map(({ key }) => key ?? ''));
      if (events.some(({ key }) => bad.has(key ?? ''))) throw new TypeError('a secret about the entry');
      made.seen.push(...events);
    },
    ...over,
  });
  return { ...made, bad, calls };
}

const HOUR_MS = 3_600_000;

describe.each(backends)('a consumer that fails on %s', (backend) => {
  it('is given the events of the batch one by one, and the bad one again after a while', async () => {
    const { consumer, keys, bad, calls } = picky();
    bad.add('b');
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b', 'c');
    await app.jobs.sweep();
    expect(calls.at(-1)).toEqual(['b']);
    expect(keys()).toEqual(['a']);
    const failed = await cursorOf(app, 'test.picky');
    expect(failed).toMatchObject({ seq: 1, attempts: 1, claimed_by: '' });
    const waitMs = (failed?.retry_at ?? 0) - app.clock.now();
    expect(waitMs).toBeGreaterThanOrEqual(500);
    expect(waitMs).toBeLessThanOrEqual(1000);
    const before = calls.length;
    await app.jobs.sweep();
    expect(calls).toHaveLength(before);
    app.clock.advance(1000);
    await app.jobs.sweep();
    const again = await cursorOf(app, 'test.picky');
    expect(again?.attempts).toBe(2);
    expect((again?.retry_at ?? 0) - app.clock.now()).toBeGreaterThanOrEqual(1000);
    bad.clear();
    app.clock.advance(2000);
    await app.jobs.sweep();
    expect(keys()).toEqual(['a', 'b', 'c']);
    expect(await cursorOf(app, 'test.picky')).toMatchObject({ seq: 3, attempts: 0, retry_at: 0 });
  });

  it('gives up after so many attempts: the event becomes a dead letter and the others go on', async () => {
    const { consumer, keys, bad } = picky({ max_attempts: 3 });
    bad.add('b');
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b', 'c');
    for (let i = 0; i < 3; i++) {
      await app.jobs.sweep();
      app.clock.advance(HOUR_MS);
    }
    await app.jobs.sweep();
    expect(keys()).toEqual(['a', 'c']);
    // The error message may quote an entry, which could not be erased here.
    expect(await lettersOf(app)).toEqual([{ seq: 2, attempts: 3, error: 'TypeError', retry: 0 }]);
  });

  it('is given a dead letter again when an admin says so, until it is handled or dropped', async () => {
    const { consumer, keys, bad } = picky({ max_attempts: 1 });
    for (const key of ['a', 'b', 'c']) bad.add(key);
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b', 'c');
    await app.jobs.sweep();
    const stateOf = async () =>
      (await app.call('consumers.list', {})).consumers.find((one) => one.consumer === 'test.picky');
    expect((await stateOf())?.dead_letters.map(({ seq, attempts }) => [seq, attempts])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    bad.delete('a');
    expect(await app.call('consumers.retry', { consumer: 'test.picky' })).toEqual({
      consumer: 'test.picky',
      retried: 3,
    });
    await until(async () => (await stateOf())?.dead_letters.every(({ is_retried }) => !is_retried) ?? false, {
      what: 'another try',
    });
    expect(keys()).toEqual(['a']);
    expect((await stateOf())?.dead_letters.map(({ seq, attempts }) => [seq, attempts])).toEqual([
      [2, 2],
      [3, 2],
    ]);
    expect(await app.call('consumers.drop', { consumer: 'test.picky', seq: 2 })).toMatchObject({ dropped: 1 });
    expect((await stateOf())?.dead_letters.map(({ seq }) => seq)).toEqual([3]);
    await expect(app.call('consumers.retry', { consumer: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is given all dead letters again at once, however many there are', async () => {
    const { consumer, keys, bad } = picky({ max_attempts: 1 });
    const all = Array.from({ length: 25 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    for (const key of all) bad.add(key);
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, ...all);
    await app.jobs.sweep();
    expect(await lettersOf(app)).toHaveLength(25);
    bad.clear();
    await app.call('consumers.retry', { consumer: 'test.picky' });
    await until(async () => (await lettersOf(app)).length === 0, { what: 'another try of all' });
    expect(keys()).toEqual(all);
  });

  it('does not count a store that cannot be reached', async () => {
    let failures = 5;
    const { consumer, keys } = picky({ max_attempts: 2 });
    const handle = consumer.handle;
    const flaky: Consumer = {
      ...consumer,
      async handle(context, events) {
        if (failures-- > 0) throw new StorageError('unavailable', new Error('away'));
        await handle(context, events);
      },
    };
    const app = await openWith(backend, [flaky]);
    await writeKeys(app, 'a');
    for (let i = 0; i < 6; i++) {
      await app.jobs.sweep();
      app.clock.advance(HOUR_MS);
    }
    expect(keys()).toEqual(['a']);
    expect(await lettersOf(app)).toEqual([]);
  });

  it('handles an event again when it ended between handling it and moving its cursor', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const outside: number[] = [];
    const make = (isCut: boolean): Consumer => ({
      name: 'test.outside',
      starts_at: 'the beginning',
      event_types: ['write'],
      async handle({ work }, events) {
        outside.push(...events.map(({ seq }) => seq));
        await work(async (inner) => {
          for (const { seq } of events) note(inner, { seq });
          if (isCut) throw new StorageError('unavailable', new Error('cut off'));
        });
      },
    });
    const one = await openWith(backend, [make(true)], { place });
    await writeKeys(one, 'a');
    await one.jobs.sweep();
    await one.close();
    const two = await openWith(backend, [make(false)], { place });
    await two.jobs.sweep();
    expect(outside.length).toBeGreaterThan(1);
    const handled = (await logOf(two)).filter(({ event_type }) => event_type === 'handled');
    expect(handled.map(({ details }) => JSON.parse(details).seq)).toEqual([1]);
  });

  it('finds an event that was erased meanwhile without what it was about', async () => {
    const { consumer, seen, bad } = picky();
    bad.add('gone');
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'gone');
    await app.jobs.sweep();
    await app.call('entries.erase', { entity_path: 'log', key: 'gone', dry_run: false } as never);
    app.clock.advance(HOUR_MS);
    await app.jobs.sweep();
    expect(seen).toMatchObject([{ seq: 1, event_type: 'write', entity_path: null, key: null }]);
  });
});

describe.each(backends)('consumers and accounts on %s', (backend) => {
  it('each account has its own cursor, under row-level security too, and all of it goes with the account', async () => {
    const { consumer, seen } = collector();
    const failing: Consumer = {
      ...consumer,
      name: 'test.fails',
      max_attempts: 1,
      handle: async () => {
        throw new Error('never');
      },
    };
    const service = await openHosted(backend, { app: { modules: [...proModules, moduleOf(consumer, failing)] } });
    onTestFinished(() => service.close());
    const [one, two] = [await service.newAccount(), await service.newAccount()];
    for (const { key } of [one, two]) await service.as(key, write('a'));
    await service.as(two.key, write('b'));
    await service.app.jobs.sweep();
    const count = (id: string) => seen.filter(({ account_id }) => account_id === id).length;
    expect([count(one.account_id), count(two.account_id)]).toEqual([1, 2]);
    const lettersOfTwo = async () => (await dump(service.app, two.account_id)).consumer_dead_letters?.length ?? 0;
    expect(await lettersOfTwo()).toBe(2);
    await service.control(remove(`/api/v1/internal/accounts/${two.account_id}?force=true&name=Example`));
    await service.app.jobs.sweep();
    const left = await dump(service.app, two.account_id);
    expect([left.consumer_cursors ?? [], left.consumer_dead_letters ?? []]).toEqual([[], []]);
    await service.app.jobs.sweep();
    expect((await dump(service.app, two.account_id)).consumer_cursors ?? []).toEqual([]);
    expect(await cursorOf(service.app, 'test.collect', one.account_id)).toBeDefined();
  });

  it('a cursor that comes back while an account is purged goes with the last of it', async () => {
    const service = await openHosted(backend);
    onTestFinished(() => service.close());
    const { account_id, key } = await service.newAccount();
    await service.as(key, write('a'));
    await service.app.jobs.close();
    await service.control(remove(`/api/v1/internal/accounts/${account_id}?force=true&name=Example`));
    const { services } = service.app.kernel;
    const comeBack = sql`INSERT INTO consumer_cursors (account_id, consumer, seq) VALUES (${account_id}, 'late', 1)
      ON CONFLICT (account_id, consumer) DO NOTHING`;
    const transaction: Database['transaction'] = (run) =>
      services.database.transaction(async (tx) => {
        tx.enter(account_id);
        await tx.run(comeBack);
        return run(tx);
      });
    const database = { ...services.database, transaction };
    await purge({ services: { ...services, database } } as Kernel, () => false);
    expect((await dump(service.app, account_id)).consumer_cursors ?? []).toEqual([]);
  });

  it('an account with much to do does not hold up another', async () => {
    const order: string[] = [];
    const { consumer } = collector({
      batch_size: 2,
      handle: async ({ account_id }, events) => void order.push(...events.map(() => account_id)),
    });
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const before = await openHosted(backend, { app: { place } });
    const [busy, calm] = [await before.newAccount(), await before.newAccount()];
    for (let i = 0; i < 40; i++) await before.as(busy.key, write('a', `k${i}`));
    await before.as(calm.key, write('a'));
    await before.close();
    const service = await openHosted(backend, { app: { place, modules: [moduleOf(consumer)] } });
    onTestFinished(() => service.close());
    await service.app.jobs.sweep();
    expect(order).toHaveLength(41);
    expect(order.indexOf(calm.account_id)).toBeLessThan(20);
  });
});

describe.each(backends)('the metrics on %s', (backend) => {
  it('show the lag, the failures and the dead letters of a consumer', async () => {
    const { consumer, bad } = picky({ max_attempts: 2 });
    bad.add('b');
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b', 'c', 'd');
    await app.jobs.sweep();
    const consumerMetrics = async () => {
      const lines = (await renderMetrics(app.kernel)).split('\n').filter((line) => line.includes('test.picky'));
      return Object.fromEntries(
        lines.map((line) => [
          line.replace(/.*?_(lag|behind|letters|total)\{.*?(?:result="(\w+)")?\}.*/, '$2$1'),
          Number(line.split(' ').at(-1)),
        ]),
      );
    };
    expect(await consumerMetrics()).toMatchObject({ lag: 3, behind: 1, letters: 0, handledtotal: 1, failedtotal: 1 });
    app.clock.advance(HOUR_MS);
    await app.jobs.sweep();
    expect(await consumerMetrics()).toMatchObject({ lag: 0, behind: 0, letters: 1, handledtotal: 3, failedtotal: 2 });
  });
});
