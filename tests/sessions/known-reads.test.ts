import { describe, expect, it, onTestFinished } from 'vitest';
import { KnownReads } from '../../packages/server/src/modules/sessions/rules/known-reads.ts';
import { fromPage, toPage } from '../../packages/server/src/modules/sessions/rules/page.ts';
import { rowsOf } from '../entries/support.ts';
import { type Backend, backends, openTestApp, readyPlace } from '../support/app.ts';
import { AUTHOR, DOER, flush, keysOf, writeAll } from './support.ts';

const at = (key: string) => ({ entity_path: 'checkout', key });

async function servers(backend: Backend) {
  const place = await readyPlace(backend);
  const one = await openTestApp(backend, { place });
  const other = await openTestApp(backend, { place, clock: one.clock });
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()]);
    await place.remove();
  });
  return [one, other] as const;
}

describe.each(backends)('what a session has read is known to every server of a store, on %s', (backend) => {
  it('a version counts once and makes one event, whichever server is used', async () => {
    const [one, other] = await servers(backend);
    await writeAll(one, ['a', 'b', 'c'].map(at));
    const read = async (app: typeof one, key: string) => {
      await app.call('entries.read', at(key), DOER);
      await flush(app);
    };
    for (const key of ['a', 'b']) await read(one, key);
    for (const key of ['a', 'c', 'b']) await read(other, key);
    for (const key of ['c', 'a']) await read(one, key);
    expect(keysOf((await one.call('sessions.explain', {}, DOER)).causal_entries)).toEqual(['a', 'b', 'c']);
    expect(await rowsOf(one, 'SELECT reads FROM sessions')).toEqual([{ reads: 3 }]);
    const events = await rowsOf(one, `SELECT seq FROM events WHERE event_type = 'cross_agent_read'`);
    expect(events).toHaveLength(6);
  });

  it('a version read on several days makes an event each day, counts once, and keeps one page of the days before', async () => {
    const [one, other] = await servers(backend);
    await writeAll(one, ['a', 'b'].map(at));
    const { agent_id } = DOER;
    const readAll = async (app: typeof one) => {
      for (const key of ['a', 'b', 'a']) await app.call('entries.read', at(key), { agent_id });
      await flush(app);
    };
    for (let day = 0; day < 4; day++) {
      await readAll(one);
      await readAll(other);
      await readAll(one);
      one.clock.advance(86_400_000);
    }
    const events = await rowsOf(
      one,
      `SELECT seq FROM events WHERE event_type = 'cross_agent_read' AND actor_agent_id IS NULL`,
    );
    expect(events).toHaveLength(8);
    expect(await rowsOf(one, 'SELECT reads FROM sessions')).toEqual([{ reads: 2 }]);
    expect(await rowsOf(one, 'SELECT attempt FROM session_reads ORDER BY no')).toEqual([
      { attempt: 0 },
      { attempt: -1 },
    ]);
    const { causal_entries } = await one.call('sessions.explain', {}, { agent_id });
    expect(keysOf(causal_entries)).toEqual(['a', 'b']);
    const { reads_from } = await one.call('agents.cross_agent_reads', { agent_id }, { agent_id });
    expect(Object.values(reads_from).flat()).toMatchObject([{ read_count: 1 }, { read_count: 1 }]);
  });

  it('nor does one server take the reads of a session that another has sealed for those of the next', async () => {
    const [one, other] = await servers(backend);
    await writeAll(one, ['a', 'b'].map(at));
    await one.call('entries.read', at('a'), DOER);
    await flush(one);
    await other.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, DOER);
    await other.call('entries.read', at('b'), DOER);
    await flush(other);
    await one.call('entries.read', at('a'), DOER);
    await flush(one);
    expect(keysOf((await one.call('sessions.explain', {}, DOER)).causal_entries)).toEqual(['b', 'a']);
  });

  it('a version counts again in the next attempt, and so does the next version', async () => {
    const [app] = await servers(backend);
    await writeAll(app, [at('a')]);
    const read = async (times: number) => {
      for (let i = 0; i < times; i++) await app.call('entries.read', at('a'), DOER);
      await flush(app);
    };
    await read(2);
    expect(await app.call('sessions.record_attempt', {}, DOER)).toMatchObject({ entries: 1 });
    await read(1);
    await app.call('entries.write', { ...at('a'), value: 2 }, AUTHOR);
    await read(2);
    await app.call('entries.read', { ...at('a'), version: 1 }, DOER);
    const { causal_entries } = await app.call('sessions.explain', {}, DOER);
    expect(causal_entries.map(({ attempt, version }) => [attempt, version])).toEqual([
      [0, 1],
      [1, 1],
      [1, 2],
    ]);
    const events = await rowsOf(app, `SELECT seq FROM events WHERE event_type = 'cross_agent_read'`);
    expect(events).toHaveLength(2);
  });
});

describe('what a session has read, in memory', () => {
  const main = (entry_id: number, version: number) => ({ entry_id, version, branch: 'main' });

  it('tells a read on a branch from one of the same version on main', () => {
    const known = new KnownReads(0);
    const there = { ...main(7, 1), branch: 'exp' };
    known.add(there);
    expect([known.has(there), known.has(main(7, 1))]).toEqual([true, false]);
    known.add(main(7, 1));
    expect([known.has(there), known.has(main(7, 1))]).toEqual([true, true]);
    known.begin(1);
    expect([known.has(there), known.has(main(7, 1))]).toEqual([false, false]);
  });

  it('knows the entries of the newest day, and says when those read again on another day are over', () => {
    const known = new KnownReads(0);
    known.addOn(100, 7);
    expect([known.hasOn(100, 7), known.hasOn(100, 8), known.hasOn(101, 7)]).toEqual([true, false, false]);
    known.begin(1);
    expect(known.hasOn(100, 7)).toBe(true);
    expect([known.addAgain(101), known.addAgain(101), known.addAgain(102)]).toEqual([false, false, true]);
    known.addOn(102, 8);
    expect([known.hasOn(102, 7), known.hasOn(102, 8), known.hasOn(101, 9)]).toEqual([false, true, true]);
  });

  it('knows versions of the try', () => {
    const known = new KnownReads(0);
    known.add(main(7, 1));
    known.add(main(7, 3));
    known.add(main(8, 1));
    expect([
      known.has(main(7, 1)),
      known.has(main(7, 2)),
      known.has(main(7, 3)),
      known.has(main(8, 1)),
      known.has(main(9, 1)),
    ]).toEqual([true, false, true, true, false]);
    expect(known.size).toBe(3);
    known.begin(1);
    expect([known.has(main(7, 1)), known.has(main(7, 3))]).toEqual([false, false]);
    known.add(main(7, 3));
    expect([known.has(main(7, 3)), known.has(main(7, 1))]).toEqual([true, false]);
  });

  it('a page gives back the numbers that were put in, and holds no name', () => {
    const standing = JSON.stringify({
      outcome_count: 1,
      success_count: 1,
      failure_count: 0,
      evidence_success: 0.1 + 0.2,
      evidence_failure: 0,
      last_outcome: 'success',
      discredited_at: null,
      validators: ['agent/named'],
    });
    const read = { entry_id: 12, version: 3, at: 1763197299123, duration_ms: 0.123, confidence: 1 / 3 };
    const text = toPage([
      { ...read, standing: null },
      { ...read, standing },
    ]);
    expect(text).not.toContain('agent');
    const { at: read_at, ...rest } = read;
    expect(fromPage(text)).toEqual([
      { ...rest, read_at, standing: null },
      {
        ...rest,
        read_at,
        standing: {
          outcome_count: 1,
          success_count: 1,
          failure_count: 0,
          evidence_success: 0.1 + 0.2,
          evidence_failure: 0,
          discredited_at: null,
        },
      },
    ]);
    expect(fromPage(toPage([]))).toEqual([]);
  });
});
