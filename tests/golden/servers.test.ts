import { describe, expect, it } from 'vitest';
import { backends, fakeClock, openTestApp, readyPlace, type TestApp } from '../support/app.ts';

const at = { entity_path: 'shop/pay', key: 'retry' };
const DAY = 86_400_000;

describe.each(backends)('two servers, on %s', (backend) => {
  it('keep each pair once, ask it again once, and lose none with a retry', async () => {
    const place = await readyPlace(backend);
    const clock = fakeClock();
    const servers = [await openTestApp(backend, { place, clock }), await openTestApp(backend, { place, clock })] as [
      TestApp,
      TestApp,
    ];
    const [first, second] = servers;
    const sweep = () => Promise.all(servers.map((app) => app.jobs.sweep()));
    await first.call('entries.write', { ...at, value: 'a failed payment is retried three times' }, { agent_id: 'a' });
    for (let n = 0; n < 6; n++) {
      const app = servers[n % 2] as TestApp;
      const who = { agent_id: 'b', session_id: `s${n}` };
      await app.call('entries.retrieve', { query: `how often is payment ${n % 3} retried?` }, who);
      clock.advance(1_000);
      await app.call('entries.read', at, who);
      const outcome = { outcome_ref: `o${n}`, outcome_type: 'success' as const };
      const again = { ...who, idempotency_key: `k${n}` };
      for (const one of servers) await one.call('outcomes.commit', outcome, again);
      for (let i = 0; i < 2; i++) await sweep();
    }
    for (let i = 0; i < 3; i++) {
      clock.advance(20_000);
      await sweep();
    }
    const listed = async (app: TestApp) => (await app.call('golden.list', {}, { agent_id: 'c' })).golden_queries;
    expect((await listed(second)).map(({ times }) => times)).toEqual([2, 2, 2]);
    clock.advance(DAY);
    await sweep();
    clock.advance(20_000);
    await sweep();
    expect((await listed(first)).map(({ rank }) => rank)).toEqual([1, 1, 1]);
    for (const app of servers) await app.close();
    await place.remove();
  });
});

describe.each(backends)('the golden queries of an account, on %s', (backend) => {
  it('are bounded: the oldest give way', async () => {
    const app = await openTestApp(backend);
    app.kernel.services.limits.max_golden_queries = 3;
    const A = { agent_id: 'a' };
    for (const shared of [true, false])
      for (let n = 0; n < 5; n++) {
        const place = { entity_path: shared ? 'open' : 'mine', key: `k${n}` };
        await app.call('entries.write', { ...place, value: n, shared }, A);
        await app.call('golden.create', { question: `what is ${n}?`, ...place }, A);
      }
    const { golden_queries } = await app.call('golden.list', {}, A);
    expect(golden_queries.map(({ entity_path, key }) => `${entity_path}/${key}`)).toEqual([
      ...['mine/k4', 'mine/k3', 'mine/k2'],
      ...['open/k4', 'open/k3', 'open/k2'],
    ]);
    const { golden_id } = await app.call(
      'golden.create',
      { question: ' What is  4? ', entity_path: 'open', key: 'k4' },
      A,
    );
    expect(golden_queries.map((one) => one.golden_id)).toContain(golden_id);
    // Another agent takes the place of the one with the most, and never more than that.
    for (let n = 0; n < 5; n++)
      await app.call('golden.create', { question: `and ${n}?`, entity_path: 'open', key: 'k4' }, { agent_id: 'b' });
    const after = (await app.call('golden.list', { entity_path: 'open' }, A)).golden_queries;
    expect(after.map(({ agent_id }) => agent_id).sort()).toEqual(['a', 'b', 'b']);
    await app.close();
  });

  it('leave with the question when its trace is removed for its age', async () => {
    const app = await openTestApp(backend);
    const who = { agent_id: 'b', session_id: 's' };
    await app.call('entries.write', { ...at, value: 'a failed payment is retried three times' }, { agent_id: 'a' });
    await app.call('entries.retrieve', { query: 'how often is a payment retried?' }, who);
    app.clock.advance(1_000);
    await app.call('entries.read', at, who);
    await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'success' }, who);
    app.clock.advance(2_000);
    await app.jobs.sweep();
    const listed = async () => (await app.call('golden.list', {}, who)).golden_queries;
    expect(await listed()).toHaveLength(1);
    await app.call('retention.set', { payloads_days: 1 }, who);
    for (let i = 0; i < 3; i++) {
      app.clock.advance(2 * DAY);
      await app.jobs.sweep();
    }
    expect(await listed()).toEqual([]);
    await app.close();
  });
});
