import { parseGlob } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, type TestApp, type TestOptions } from '../support/app.ts';
import { allDigests, briefsIn, compiled, digestsOf, namesOf, openCompiling } from './compiled.ts';

const A = { agent_id: 'agent/a' };
const HOUR = 3_600_000;

async function open(backend: Backend, options: TestOptions = {}): Promise<TestApp> {
  const app = await openCompiling(backend, options);
  onTestFinished(() => app.close());
  return app;
}

const statusOf = (app: TestApp) => app.call('cortex.status', {});

describe.each(backends)('the worker, on %s', (backend) => {
  it('says what is due, what is compiled, and whether it runs', async () => {
    const app = await open(backend);
    expect(await statusOf(app)).toMatchObject({
      status: 'idle',
      worker: { is_running: true, lag: 0, due: 0, failures: 0 },
      digest_count: 0,
      last_compiled_at: null,
    });
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 }, A);
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 2 }, A);
    app.clock.advance(1000);
    expect(await statusOf(app)).toMatchObject({
      status: 'compiling',
      worker: { lag: 2, due: 2, due_is_complete: true, waiting_ms: 1000, seq: 0, last_seq: 2 },
    });
    await compiled(app);
    const done = await statusOf(app);
    expect(done).toMatchObject({
      status: 'idle',
      worker: { lag: 0, due: 0 },
      digest_count: 2,
      digest_types: { entity: 1, agent_brief: 1, source: 0, connection_map: 0, trace_pattern: 0 },
    });
    const { events, throughput } = await app.call('cortex.activity', {});
    expect(events.map(({ type, digest }) => [type, digest?.digest_type])).toEqual(
      expect.arrayContaining([['digest_compiled', 'entity']]),
    );
    expect(throughput.reduce((sum, minute) => sum + minute.compiled, 0)).toBe(2);
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 3 }, A);
    await compiled(app);
    const again = await app.call('cortex.activity', {});
    expect(again.throughput).toHaveLength(60);
    expect(again.throughput.reduce((sum, minute) => sum + minute.compiled, 0)).toBe((await briefsIn(app)).length);
    expect(await briefsIn(app)).toHaveLength(4);
  });

  it('can be turned off, and goes on where it stopped', async () => {
    const first = await openCompiling(backend, { settings: { cortex: 'off' } });
    onTestFinished(() => first.close());
    await first.call('entries.write', { entity_path: 'a', key: 'k', value: 1 }, A);
    await compiled(first);
    expect(await statusOf(first)).toMatchObject({ status: 'stopped', worker: { is_running: false, due: 2 } });
    const second = await openCompiling(backend, { place: first.place, clock: first.clock });
    onTestFinished(() => second.close());
    await compiled(second);
    await compiled(second);
    expect(namesOf(await digestsOf(second))).toEqual(['agent_brief agent/a', 'entity a']);
  });

  it('neither starves nor spins when the clock is set back or ahead', async () => {
    const app = await open(backend);
    const write = (n: number) => app.call('entries.write', { entity_path: 'a', key: 'k', value: n }, A);
    let reported = 0;
    for (const [n, jump] of [0, -HOUR, 24 * HOUR, -25 * HOUR].entries()) {
      await write(n);
      app.clock.advance(jump);
      await compiled(app);
      await compiled(app);
      const briefs = await briefsIn(app);
      expect(briefs.length, `after a jump of ${jump}`).toBe(reported + 2);
      reported = briefs.length;
      expect((await statusOf(app)).status).toBe('idle');
    }
    const { last_seq } = await app.call('stats.read', {});
    for (let i = 0; i < 3; i++) await compiled(app);
    expect((await app.call('stats.read', {})).last_seq).toBe(last_seq);
  });

  it('comes to rest in the right state after a burst, also where a path has more entries than are kept', async () => {
    const app = await open(backend);
    const paths = ['few', 'some', 'many'];
    const sizes = [40, 240, 700];
    for (const [i, entity_path] of paths.entries())
      for (let from = 0; from < (sizes[i] ?? 0); from += 100) {
        const keys = Array.from({ length: Math.min(100, (sizes[i] ?? 0) - from) }, (_, k) => from + k);
        const writes = keys.map((k) => ({
          ...{ entity_path, key: `key-${k}`, value: k },
          confidence: 0.2 + ((k * 7919) % 1000) / 2000,
        }));
        await app.call('commits.create', { writes } as never, { agent_id: `agent/${from}` });
      }
    for (const key of ['key-3', 'key-17'])
      await app.call(
        'outcomes.commit',
        { outcome_ref: key, outcome_type: 'success', causal_entry_keys: [{ entity_path: 'many', key }] } as never,
        A,
      );
    await app.call('entries.delete', { entity_path: 'many', key: 'key-699' }, A);
    for (let i = 0; i < 4; i++) await compiled(app);
    expect((await statusOf(app)).status).toBe('idle');
    for (const [i, entity_path] of paths.entries()) {
      const page = { entity_path, limit: 1000 };
      const { entries } = await app.call('entries.list', page, A);
      const [digest] = (await app.call('digests.list', { digest_type: 'entity', scope: entity_path }, A)).digests;
      expect(entries).toHaveLength((sizes[i] ?? 0) - (entity_path === 'many' ? 1 : 0));
      expect(digest?.entry_count).toBe(entries.length);
      const best = (rank: (entry: (typeof entries)[number]) => number) =>
        entries
          .toSorted((a, b) => rank(b) - rank(a) || b.seq - a.seq)
          .slice(0, 5)
          .map(({ key }) => key);
      expect(digest?.summary.newest?.map(({ key }) => key)).toEqual(best(() => 0));
      expect(digest?.summary.top_keys?.map(({ key }) => key)).toEqual(best(({ confidence }) => confidence));
      const validated = entity_path === 'many' ? ['key-17', 'key-3'] : [];
      expect(digest?.summary.validated?.map(({ key }) => key).sort()).toEqual(validated);
    }
  });

  it('compiles a scope once for all changes of a burst, and stores more digests than one transaction takes', async () => {
    const app = await open(backend);
    for (let from = 0; from < 1_200; from += 400) {
      const writes = Array.from({ length: 400 }, (_, i) => ({
        entity_path: `p/${(from + i) % 150}`,
        key: `k${from + i}`,
        value: i,
      }));
      await app.call('commits.create', { writes } as never, A);
    }
    await compiled(app);
    expect((await statusOf(app)).status).toBe('idle');
    const digests = await allDigests(app);
    expect(digests.map(({ digest_type, entry_count }) => [digest_type, entry_count])).toEqual([
      ['agent_brief', 1_200],
      ...Array.from({ length: 150 }, () => ['entity', 8]),
    ]);
    const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
    const text = `SELECT count(*) AS n FROM events WHERE account_id = ? AND event_type = 'brief_compiled'`;
    expect(await read.get({ text, values: [SELF_HOSTED_ACCOUNT] })).toEqual({ n: 151 });
  });

  it('shows what is right after each step of a scope that grows, shrinks and changes', async () => {
    const app = await open(backend);
    const entity_path = 'grows';
    const write = (k: number, confidence: number) =>
      app.call('entries.write', { entity_path, key: `key-${k}`, value: [k, confidence], confidence }, A);
    const many = (from: number, to: number) => {
      const keys = Array.from({ length: to - from }, (_, i) => from + i);
      const writes = keys.map((k) => ({
        entity_path,
        key: `key-${k}`,
        value: k,
        confidence: 0.3 + ((k * 37) % 100) / 400,
      }));
      return app.call('commits.create', { writes } as never, A);
    };
    const causal_entry_keys = [{ entity_path, key: 'key-7' }];
    const refute = (ref: string) =>
      app.call('outcomes.commit', { outcome_ref: ref, outcome_type: 'failure', causal_entry_keys } as never, A);
    const steps: (() => Promise<unknown>)[] = [
      ...[() => many(0, 30), () => write(30, 0.9), () => many(31, 60), () => write(60, 0.95), () => write(60, 0.1)],
      ...[() => many(61, 75), () => many(75, 90), () => refute('o1'), () => write(90, 0.99), () => many(91, 94)],
      () => app.call('entries.delete', { entity_path, key: 'key-90' }, A),
      () => app.call('entries.write', { entity_path, key: 'key-30', value: 'own', shared: false }, A),
    ];
    for (const [n, step] of steps.entries()) {
      await step();
      await compiled(app);
      const { entries: all } = await app.call('entries.list', { entity_path, limit: 1000 }, { agent_id: 'agent/b' });
      const [digest] = (await app.call('digests.list', { digest_type: 'entity', scope: entity_path }, A)).digests;
      const best = (rank: (entry: (typeof all)[number]) => number) =>
        all.toSorted((a, b) => rank(b) - rank(a) || b.seq - a.seq).slice(0, 5);
      const shown = [digest?.entry_count, digest?.summary.newest?.map(({ key }) => key)];
      expect(shown, `newest after step ${n}`).toEqual([all.length, best(() => 0).map(({ key }) => key)]);
      const top = best(({ confidence, evidence_status }) => (evidence_status === 'discredited' ? -1 : confidence));
      expect(
        digest?.summary.top_keys?.map(({ key }) => key),
        `best after step ${n}`,
      ).toEqual(top.map(({ key }) => key));
    }
  });

  it('tells a key with a scope nothing of what lies outside, of agents neither', async () => {
    const app = await open(backend);
    const glob = parseGlob('open/**');
    const scoped = { ...A, key: { key_id: 'k', name: 'k', type: 'agent' as const, read: [[glob as never]] } };
    await app.call('entries.write', { entity_path: 'open/a', key: 'seen', value: 1, confidence: 0.5 }, A);
    await app.call('entries.write', { entity_path: 'closed/b', key: 'hidden', value: 2, confidence: 0.9 }, A);
    await app.call('entries.write', { entity_path: 'closed/b', key: 'other', value: 2 }, { agent_id: 'agent/b' });
    const causal_entry_keys = [{ entity_path: 'closed/b', key: 'hidden' }];
    await app.call('outcomes.commit', { outcome_ref: 'o1', outcome_type: 'success', causal_entry_keys } as never, A);
    await compiled(app);
    const seen = await digestsOf(app, scoped);
    expect(namesOf(seen)).toEqual(['agent_brief agent/a', 'entity open/a']);
    expect(seen[0]).toMatchObject({
      entry_count: 1,
      summary: { total_keys: 1, avg_confidence: 0.5, entities: ['open/a'], outcomes: [] },
    });
    expect(JSON.stringify([seen, await briefsIn(app, scoped)])).not.toMatch(/closed|hidden|agent\/b|\bo1\b/);
    expect(namesOf(await digestsOf(app))).toContain('agent_brief agent/b');
    await expect(app.call('cortex.status', {}, scoped)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('leaves an account that ended, and compiles again what an import brought', async () => {
    const app = await open(backend, { hosted: true });
    const control = { control: true } as const;
    const { account_id } = await app.call('accounts.create', { name: 'One', plan: 'enterprise' } as never, control);
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 }, { ...A, account_id });
    await compiled(app);
    const { lines } = (await app.call('transfer.export', {}, { account_id })) as unknown as { lines: object[] };
    expect(JSON.stringify(lines)).not.toContain('"parts"');
    const empty = { name: 'Two', plan: 'enterprise', empty: true };
    const other = await app.call('accounts.create', empty as never, control);
    const as = { account_id: other.account_id };
    await app.call('transfer.add', { from: 0, lines: lines.map((line) => JSON.stringify(line)) } as never, as);
    await app.call('transfer.finish', {} as never, as);
    for (let i = 0; i < 2; i++) await compiled(app);
    expect(namesOf(await digestsOf(app, as))).toEqual(['agent_brief agent/a', 'entity a']);
  });
});
