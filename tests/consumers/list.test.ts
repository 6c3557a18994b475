import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertClaim, insertDeadLetter } from '../../packages/server/src/kernel/consumers/queries.ts';
import { deleteConsumed, SELF_HOSTED_ACCOUNT, setPurged } from '../../packages/server/src/kernel/index.ts';
import { dump } from '../contract/dump.ts';
import { backends, type TestApp } from '../support/app.ts';
import { openHosted, remove, write } from '../support/hosted.ts';
import { collector, openWith, writeKeys } from './support.ts';

async function stateOf(app: TestApp, consumer: string) {
  const { consumers } = await app.call('consumers.list', {});
  return consumers.find((one) => one.consumer === consumer);
}

async function bury(app: TestApp, consumer: string, count: number): Promise<void> {
  const letter = { account_id: SELF_HOSTED_ACCOUNT, consumer, attempts: 1, error: 'Error', failed_at: 1 };
  await app.kernel.services.database.transaction(async (tx) => {
    tx.enter(SELF_HOSTED_ACCOUNT);
    await tx.insertMany(
      insertDeadLetter,
      Array.from({ length: count }, (_, i) => ({ ...letter, seq: i + 1 })),
    );
  });
}

describe.each(backends)('the list of consumers on %s', (backend) => {
  it('says how many dead letters there are where it does not show all, and hides none of another consumer', async () => {
    const app = await openWith(backend, [
      collector({ name: 'test.a' }).consumer,
      collector({ name: 'test.b' }).consumer,
    ]);
    await bury(app, 'test.a', 1005);
    await bury(app, 'test.b', 2);
    const a = await stateOf(app, 'test.a');
    expect(a).toMatchObject({ dead_letters_total: 1005 });
    expect(a?.dead_letters.map(({ seq }) => seq)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
    const b = await stateOf(app, 'test.b');
    expect(b).toMatchObject({ dead_letters_total: 2, dead_letters: [{ seq: 1 }, { seq: 2 }] });
  });

  it('shows a consumer past events that it does not want, and never past one that it has not handled', async () => {
    let isBroken = true;
    const { consumer } = collector({
      event_types: ['delete'],
      handle: async () => {
        if (isBroken) throw new Error('cannot');
      },
    });
    const app = await openWith(backend, [consumer]);
    await writeKeys(app, 'a', 'b');
    expect(await stateOf(app, consumer.name)).toMatchObject({ seq: 2 });
    await app.call('entries.delete', { entity_path: 'log', key: 'a' });
    await writeKeys(app, 'c');
    await app.jobs.sweep();
    expect(await stateOf(app, consumer.name)).toMatchObject({ seq: 2, attempts: 1 });
    isBroken = false;
    app.clock.advance(3_600_000);
    await app.jobs.sweep();
    expect(await stateOf(app, consumer.name)).toMatchObject({ seq: 4, attempts: 0 });
  });
});

describe.each(backends)('the purge of an account on %s', (backend) => {
  it('leaves no cursor that is claimed while it ends', async () => {
    const service = await openHosted(backend);
    onTestFinished(() => service.close());
    const { account_id, key } = await service.newAccount();
    await service.as(key, write('a'));
    await service.app.jobs.close();
    await service.control(remove(`/api/v1/internal/accounts/${account_id}?force=true&name=Example`));
    const { database, clock } = service.app.kernel.services;
    const claiming = { key: { account_id, consumer: 'late' }, claimed_by: 'other', now: clock.now(), until: 1 };
    const claim = () =>
      database.transaction((tx) => {
        tx.enter(account_id);
        return insertClaim(tx, database.dialect, claiming);
      });
    const claimed = await database.transaction(async (tx) => {
      tx.enter(account_id);
      await setPurged(tx, account_id, clock.now());
      await deleteConsumed(tx, account_id);
      const claimed = claim();
      // Time to insert it, if nothing makes it wait for the end of this transaction.
      await Promise.race([claimed, sleep(300)]);
      return { claimed };
    });
    expect(await claimed.claimed).toBeUndefined();
    expect((await dump(service.app, account_id)).consumer_cursors ?? []).toEqual([]);
  });
});
