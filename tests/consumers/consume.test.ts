import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { type Consumer, type Kernel, Postponed, SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { until } from '../faults/support/mem-process.ts';
import { backends, readyPlace } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import { collector, cursorOf, logOf, note, openWith, writeKeys } from './support.ts';

const sentAt = () => performance.now();

describe.each(backends)('a consumer of the log on %s', (backend) => {
  it('is given what this process commits, soon and in order', async () => {
    const { consumer, keys } = collector();
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b', 'c');
    await until(() => keys().length === 3, { what: 'three events' });
    expect(keys()).toEqual(['a', 'b', 'c']);
  });

  it('that gives way waits while many writes come in, and not for ever', async () => {
    const { consumer, seen } = collector({ gives_way_seconds: 1, batch_size: 100 });
    const app = await openWith(backend, [consumer]);
    const names = Array.from({ length: 400 }, (_, i) => ({ entity_path: 'log', key: `k${i}`, value: i }));
    await app.call('commits.create', { message: 'many', writes: names });
    const started = performance.now();
    await sleep(150);
    expect(seen).toEqual([]);
    // More and more of them: it takes its turn all the same.
    const until = async (events: number) => {
      while (seen.length < events && performance.now() - started < 10_000)
        await app.call('commits.create', {
          message: 'more',
          writes: names.map((one) => ({ ...one, value: sentAt() })),
        });
      return performance.now();
    };
    const first = await until(1);
    expect(seen.length).toBeGreaterThan(0);
    expect(first - started).toBeGreaterThan(900);
    // From then on it has its share, and does not wait as long before each batch.
    expect((await until(301)) - first).toBeLessThan(2_900);
  });

  const rests = [{ delay_seconds: 0.05 }, { pause_seconds: 0.05 }];
  it.each(rests)('with %o rests before what came in during its turn', async (times) => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const batches: (string | null)[][] = [];
    const handle: Consumer['handle'] = async (_, events) => {
      batches.push(events.map(({ key }) => key));
      await held;
    };
    const { consumer } = collector({ ...times, handle });
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a');
    app.clock.advance(50);
    await until(() => batches.length === 1, { what: 'a turn' });
    await writeKeys(app, 'b');
    goOn();
    await sleep(300);
    await writeKeys(app, 'c');
    await sleep(300);
    expect(batches).toEqual([['a']]);
    app.clock.advance(50);
    await until(() => batches.length === 2, { what: 'another turn' });
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('is woken by the types it wants alone, and its cursor passes the others', async () => {
    const { consumer, seen } = collector({ event_types: ['delete'] });
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b');
    await sleep(50);
    expect(await cursorOf(app, 'test.collect')).toBeUndefined();
    await app.call('entries.delete', { entity_path: 'log', key: 'a' });
    await until(() => seen.length === 1, { what: 'the event' });
    await app.jobs.sweep();
    expect(seen.map(({ event_type }) => event_type)).toEqual(['delete']);
    expect(await cursorOf(app, 'test.collect')).toMatchObject({ seq: 3, claimed_by: '' });
  });

  it('that is installed later begins where it says', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const before = await openWith(backend, [], { place });
    await writeKeys(before, 'a', 'b');
    await before.close();
    const all = collector({ name: 'test.all' });
    const fresh = collector({ name: 'test.fresh', starts_at: 'now' });
    const app = await openWith(backend, [all.consumer, fresh.consumer], { place });
    await writeKeys(app, 'c');
    await app.jobs.sweep();
    expect(all.keys()).toEqual(['a', 'b', 'c']);
    expect(fresh.keys()).toEqual(['c']);
    await app.close();
    const again = collector({ name: 'test.fresh', starts_at: 'now' });
    const later = await openWith(backend, [again.consumer], { place });
    await writeKeys(later, 'd');
    await later.jobs.sweep();
    expect(again.keys()).toEqual(['d']);
  });

  it('goes on after a restart where it was', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const first = collector({ batch_size: 2 });
    const one = await openWith(backend, [first.consumer], { place });
    await writeKeys(one, 'a', 'b', 'c');
    await one.jobs.sweep();
    await one.close();
    const without = await openWith(backend, [], { place });
    await writeKeys(without, 'd', 'e', 'f');
    await without.close();
    const second = collector({ batch_size: 2 });
    const two = await openWith(backend, [second.consumer], { place });
    await two.jobs.sweep();
    expect([first.keys(), second.keys()]).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
  });

  it('commits what it writes together with its cursor', async () => {
    const app = await openWith(backend, [
      {
        name: 'test.copy',
        starts_at: 'the beginning',
        event_types: ['write'],
        batch_size: 2,
        handle: ({ work }, events) =>
          work(async (inner) => {
            for (const { seq } of events) note(inner, { seq });
          }),
      },
    ]);
    await writeKeys(app, 'a', 'b', 'c', 'd', 'e');
    await app.jobs.sweep();
    const log = await logOf(app);
    const handled = log.filter(({ event_type }) => event_type === 'handled');
    const written = log.filter(({ event_type }) => event_type === 'write').map(({ seq }) => seq);
    expect(written).toHaveLength(5);
    expect(handled.map(({ details }) => JSON.parse(details).seq)).toEqual(written);
    expect((await cursorOf(app, 'test.copy'))?.seq).toBeGreaterThanOrEqual(5);
  });

  it('writes in steps, and comes back to its events where it fails after one', async () => {
    const steps: number[] = [];
    const app = await openWith(backend, [
      {
        name: 'test.steps',
        starts_at: 'the beginning',
        event_types: ['write'],
        handle: async ({ step, work }, events) => {
          await step(async (inner) => note(inner, { step: events.length }));
          steps.push(events.length);
          if (steps.length === 1) throw new Postponed('later', 0);
          await work(async (inner) => note(inner, { work: events.length }));
        },
      },
    ]);
    await writeKeys(app, 'a', 'b');
    await app.jobs.sweep();
    app.clock.advance(1_000);
    await app.jobs.sweep();
    const handled = (await logOf(app)).filter(({ event_type }) => event_type === 'handled');
    expect(handled.map(({ details }) => JSON.parse(details))).toEqual([{ step: 2 }, { step: 2 }, { work: 2 }]);
    expect(await cursorOf(app, 'test.steps')).toMatchObject({ claimed_by: '', attempts: 0 });
  });

  it.each(['step', 'work'] as const)('leaves nothing behind of a %s in which its claim was lost', async (kind) => {
    const app = await openWith(backend, [
      {
        name: 'test.robbed',
        starts_at: 'the beginning',
        event_types: ['write'],
        handle: async (context) => {
          // Another server, long after this one stopped answering.
          await takeClaim(context.kernel, 'test.robbed');
          await context[kind](async (inner) => note(inner, {}));
        },
      },
    ]);
    await writeKeys(app, 'a');
    await app.jobs.sweep();
    expect((await logOf(app)).map(({ event_type }) => event_type)).toEqual(['write']);
    expect(await cursorOf(app, 'test.robbed')).toMatchObject({ seq: 0, claimed_by: 'another', attempts: 0 });
  });

  it('asks the store nothing while nothing happens', async () => {
    const { consumer } = collector();
    let statements = 0;
    const app = await openWith(backend, [consumer], {
      wrapDatabase: (database) => watchDatabase(database, () => statements++),
    });
    await writeKeys(app, 'a');
    await app.jobs.sweep();
    const before = statements;
    // Longer than the first look at the store after a start, and than the index waits after a write.
    await sleep(3_000);
    expect(statements - before).toBeLessThan(40);
    const idle = statements;
    await sleep(500);
    expect(statements).toBe(idle);
  });
});

async function takeClaim({ services }: Kernel, consumer: string): Promise<void> {
  await services.database.transaction(async (tx) => {
    tx.enter(SELF_HOSTED_ACCOUNT);
    await tx.run(
      sql`UPDATE consumer_cursors SET claimed_by = 'another' WHERE account_id = ${SELF_HOSTED_ACCOUNT} AND consumer = ${consumer}`,
    );
  });
}
