import { afterEach, describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { readAccount, SELF_HOSTED_ACCOUNT, unchanged } from '../../packages/server/src/kernel/index.ts';
import { deleteOldLetters } from '../../packages/server/src/modules/ingestion/make-letter.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { deliver, SECRET, testConnector } from '../support/deliveries.ts';
import { get, openHosted } from '../support/hosted.ts';
import { exportLines, importLines } from '../transfer/support.ts';

describe.each(backends)('dead letters as storage of their account, on %s', (backend) => {
  let apps: TestApp[] = [];
  let isMended = false;
  afterEach(async () => {
    await Promise.all(apps.map((app) => app.close()));
    apps = [];
    isMended = false;
  });

  const open = async () => {
    const transform = connectorThat(async (events) =>
      events.map(({ id }) =>
        isMended
          ? { results: [{ operation: 'write', entity_path: 'shop', key: id, value: 1 }] }
          : { failure: { reason: 'not yet', passing: true } },
      ),
    );
    const app = await openTestApp(backend, { connectors: hostOf(transform) });
    apps.push(app);
    return app;
  };
  const fail = (app: TestApp, id: string) =>
    app.call('webhooks.receive', {
      ...{ connector: 'example', id, event_type: 'build.failed', headers: { 'user-agent': 'Tester' } },
      payload: { entity_path: `shop/${id}`, text: 'ü'.repeat(500) },
    });

  /** What the account has, and what its tables say. */
  async function amounts({ kernel }: TestApp) {
    const { read } = kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
    const sums = [
      sql`SELECT coalesce(sum(octet_length(document)), 0) AS n FROM versions WHERE account_id = ${SELF_HOSTED_ACCOUNT}`,
      sql`SELECT coalesce(sum(octet_length(payload) + octet_length(headers)), 0) AS n FROM dead_letters
          WHERE account_id = ${SELF_HOSTED_ACCOUNT}`,
    ];
    const [versions = 0, letters = 0] = await Promise.all(
      sums.map(async (text) => Number((await read.get<{ n: number }>(text))?.n)),
    );
    const { storage_bytes } = (await readAccount(read, SELF_HOSTED_ACCOUNT)) ?? {};
    return { used: storage_bytes, versions, letters };
  }
  async function expectExact(app: TestApp, isKept: boolean) {
    const { used, versions, letters } = await amounts(app);
    expect(letters > 0).toBe(isKept);
    expect(used).toBe(versions + letters);
  }

  it('count when they are made, and no more when they are replayed', async () => {
    const app = await open();
    const { letter_id } = await fail(app, 'one');
    await expectExact(app, true);
    await app.call('dead_letters.replay', { letter_id: letter_id as string });
    await expectExact(app, true);
    isMended = true;
    await app.call('dead_letters.replay', { letter_id: letter_id as string });
    await expectExact(app, false);
  });

  it('count no more when their entry or their agent is erased', async () => {
    const app = await open();
    const { results } = await fail(app, 'one');
    await fail(app, 'two');
    const { entity_path, key } = results[0] as { entity_path: string; key: string };
    await app.call('entries.erase', { entity_path, key });
    await expectExact(app, true);
    expect((await app.call('dead_letters.list', {})).dead_letters.map(({ id }) => id)).toEqual(['two']);
    await app.call('agents.erase', { agent_id: 'webhook/example', with_others: true } as never);
    await expectExact(app, false);
  });

  it('count no more when newer ones take their place', async () => {
    const app = await open();
    for (const id of ['one', 'two', 'three']) await fail(app, id);
    const before = await amounts(app);
    await app.kernel.work(caller(), 'test', async (work) => {
      await deleteOldLetters(work, { letters: 1, bytes: 1e9 });
      return unchanged(null);
    });
    await expectExact(app, true);
    expect((await amounts(app)).letters).toBeLessThan(before.letters / 2);
  });

  it('count in an account that is imported', async () => {
    const [from, to] = [await open(), await open()];
    await fail(from, 'one');
    await importLines(to, await exportLines(from));
    await expectExact(to, true);
    expect((await amounts(to)).letters).toBe((await amounts(from)).letters);
  });

  it('are refused where the plan has no room, with all that came with them', async () => {
    const connector = testConnector({ connector: { transform: () => Promise.reject(new Error('not yet')) } });
    const plans = { small: { ops_per_month: null, storage_bytes: 5_000 } };
    const service = await openHosted(backend, { app: { connectors: hostOf(connector), settings: { plans } } });
    try {
      const { key } = await service.newAccount({ plan: 'small' });
      const { key: token } = await service.newKey(key, { key_type: 'webhook', connector: 'example', secret: SECRET });
      const send = (id: string) =>
        deliver(service.server.url, JSON.stringify({ event_type: 'build', id, text: 'x'.repeat(1500) }), { token });
      expect((await send('one')).status).toBe(202);
      const before = (await service.as(key, get('/api/v1/me'))).json.limits;
      expect((await send('two')).json).toMatchObject({ status: 402, code: 'over_limit', limit: 'storage_bytes' });
      expect((await service.as(key, get('/api/v1/me'))).json.limits).toMatchObject({
        storage_bytes: (before as { storage_bytes: object }).storage_bytes,
      });
      expect((await service.as(key, get('/api/v1/dead-letters'))).json.dead_letters).toHaveLength(1);
    } finally {
      await service.close();
    }
  });
});
