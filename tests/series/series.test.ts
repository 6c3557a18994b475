import { type Glob, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { countEarlierFailures } from '../../packages/server/src/modules/series/migrations/earlier-failures.ts';
import { changeRows, iso, refusal, rowsOf } from '../entries/support.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Two hours with two writes of one agent and three of another, one of them private. */
async function fill(app: TestApp): Promise<number> {
  const start = Math.ceil(app.clock.now() / (24 * HOUR)) * 24 * HOUR;
  app.clock.advance(start - app.clock.now());
  const write = (entity_path: string, key: string, as: object) =>
    app.call('entries.write', { entity_path, key, value: key, shared: key !== 'private' }, as);
  await write('a/b', '1', X);
  app.clock.advance(MINUTE);
  await write('a/b', '2', X);
  await write('c', '3', Y);
  app.clock.advance(HOUR);
  await write('c', '4', Y);
  await write('c', 'private', Y);
  await app.call('entries.delete', { entity_path: 'c', key: '4' }, Y);
  return start;
}

const drain = (app: TestApp) => app.kernel.services.consumers.drain();

const when: [string, (app: TestApp) => Promise<void>][] = [
  ['from the log', async () => undefined],
  ['from what was counted', drain],
];

describe.each(backends)('a series on %s', (backend: Backend) => {
  describe.each(when)('%s', (_, count) => {
    let app: TestApp;
    let start: number;
    const read = (input: object = {}, as: Partial<Caller> = X) =>
      app.call('series.read', { since: iso(start), ...input }, as);
    const points = async (input: object = {}, as: Partial<Caller> = X) =>
      (await read(input, as)).points.map(({ at, counts }) => [Date.parse(at) - start, counts]);

    beforeAll(async () => {
      app = await openTestApp(backend);
      start = await fill(app);
      await count(app);
    });
    afterAll(() => app.close());

    it('counts events by type, in minutes, hours and days', async () => {
      expect(await points({ unit: 'minute' })).toEqual([
        [0, { write: 1 }],
        [MINUTE, { write: 2 }],
        [HOUR + MINUTE, { write: 1, delete: 1 }],
      ]);
      expect(await points({ unit: 'hour' })).toEqual([
        [0, { write: 3 }],
        [HOUR, { write: 1, delete: 1 }],
      ]);
      expect(await read({ unit: 'day' })).toEqual({
        unit: 'day',
        since: iso(start),
        until: iso(start + 24 * HOUR),
        points: [{ at: iso(start), total: 5, counts: { write: 4, delete: 1 }, failed_outcomes: 0 }],
        complete_since: null,
      });
    });

    it('counts what is private for its agent alone', async () => {
      expect(await points({ unit: 'day' }, Y)).toEqual([[0, { write: 5, delete: 1 }]]);
    });

    it('filters by type, agent, time and path', async () => {
      expect(await points({ unit: 'day', types: ['delete'] })).toEqual([[0, { delete: 1 }]]);
      expect(await points({ unit: 'day', types: ['memory_write'] })).toEqual([[0, { write: 4 }]]);
      expect(await points({ unit: 'day', agent_id: 'agent/x' })).toEqual([[0, { write: 2 }]]);
      expect(await points({ unit: 'day', agent_id: 'agent/y' })).toEqual([[0, { write: 2, delete: 1 }]]);
      expect(await points({ unit: 'hour', since: iso(start + HOUR) })).toEqual([[HOUR, { write: 1, delete: 1 }]]);
      expect(await points({ unit: 'hour', until: iso(start + HOUR) })).toEqual([[0, { write: 3 }]]);
      expect(await points({ unit: 'day', entity_path: 'a/**' })).toEqual([[0, { write: 2 }]]);
      expect(await points({ unit: 'day', entity_path: 'c', agent_id: 'agent/y' })).toEqual([
        [0, { write: 2, delete: 1 }],
      ]);
    });

    it('counts the agents that were active, each once', async () => {
      const agents = async (input: object, as: Partial<Caller> = X) =>
        (await read({ include_agents: true, ...input }, as)).points.map((point) => point.agents);
      expect(await agents({ unit: 'minute' })).toEqual([1, 2, 1]);
      expect(await agents({ unit: 'hour' })).toEqual([2, 1]);
      expect(await agents({ unit: 'day' })).toEqual([2]);
      expect(await agents({ unit: 'day', types: ['delete'] })).toEqual([1]);
      expect(await agents({ unit: 'day', agent_id: 'agent/y' })).toEqual([1]);
      expect(await agents({ unit: 'day', entity_path: 'a/**' })).toEqual([1]);
      const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: [[parseGlob('a/**') as Glob]] };
      expect(await agents({ unit: 'day' }, { ...X, key })).toEqual([1]);
    });

    it('counts for a key with a scope what is in it', async () => {
      const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: [[parseGlob('a/**') as Glob]] };
      expect(await points({ unit: 'day' }, { ...X, key })).toEqual([[0, { write: 2 }]]);
    });

    it('counts each event once, whenever it is read', async () => {
      await app.call('entries.write', { entity_path: 'z', key: String(count), value: 1 }, X);
      expect(await points({ unit: 'day' })).toEqual([[0, { write: 5, delete: 1 }]]);
      await drain(app);
      expect(await points({ unit: 'day' })).toEqual([[0, { write: 5, delete: 1 }]]);
    });

    it('has at most 1,500 points', async () => {
      const since = iso(start - 1500 * HOUR);
      expect(await refusal(read({ unit: 'hour', since }))).toMatchObject({ code: 'invalid_input' });
      expect(await refusal(read({ since, until: iso(start - 2000 * HOUR) }))).toMatchObject({ code: 'invalid_input' });
    });

    it('has its own events for each branch, and none for a past state', async () => {
      await app.call('branches.create', { name: 'try' });
      await app.call('entries.write', { entity_path: 'z', key: 'on-try', value: 1, branch: 'try' }, X);
      await drain(app);
      expect(await points({ unit: 'day', branch: 'try', types: ['write'] })).toEqual([[0, { write: 1 }]]);
      expect(await refusal(read({ branch: 'main@1' }))).toMatchObject({ code: 'invalid_input' });
    });
  });

  it('counts what a session records for its own key only', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const holding = (key_id: string): Partial<Caller> => ({
      ...X,
      actor: `key/${key_id}`,
      holder: `key/${key_id}`,
      key: { key_id, name: key_id, type: 'admin' },
    });
    await app.call('sessions.record_context', { label: 'l', summary: 's' }, holding('one'));
    const contexts = async (as: Partial<Caller>) => {
      const { points } = await app.call('series.read', { unit: 'day' }, as);
      return points.flatMap(({ counts }) => counts.context ?? []);
    };
    for (const wait of [async () => undefined, drain]) {
      await wait(app);
      expect(await contexts(holding('one'))).toEqual([1]);
      expect(await contexts(holding('two'))).toEqual([]);
      expect(await contexts(X)).toEqual([1]);
    }
  });

  it('counts an agent as active by what it did itself and the caller may see', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const start = Math.ceil(app.clock.now() / (24 * HOUR)) * 24 * HOUR;
    app.clock.advance(start - HOUR - app.clock.now());
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 }, X);
    await app.call('entries.write', { entity_path: 'a', key: 'p', value: 1, shared: false }, { agent_id: 'agent/z' });
    app.clock.advance(HOUR);
    await app.call('entries.read', { entity_path: 'a', key: 'k' }, { ...Y, session_id: 's' });
    await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'success' }, { ...Y, session_id: 's' });
    const agents = async (as: Partial<Caller>) => {
      const input = { unit: 'hour', since: iso(start - HOUR), include_agents: true } as const;
      const { points } = await app.call('series.read', input, as);
      return points.map((point) => [Date.parse(point.at) - start, point.agents]);
    };
    const { points } = await app.call('series.read', { unit: 'hour', since: iso(start), agent_id: 'agent/x' }, X);
    expect(points).toMatchObject([{ counts: { cross_agent_read: 1 } }]);
    for (const wait of [async () => undefined, drain]) {
      await wait(app);
      expect(await agents(X)).toEqual([
        [-HOUR, 1],
        [0, 1],
      ]);
      expect(await agents({ agent_id: 'agent/z' })).toEqual([
        [-HOUR, 2],
        [0, 1],
      ]);
    }
  });

  it('counts failed outcomes, of all agents and of one, however many others there are', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const start = Math.ceil(app.clock.now() / (24 * HOUR)) * 24 * HOUR;
    app.clock.advance(start - app.clock.now());
    const types = ['p1_incident', 'success', 'minor_failure', 'clean_deploy', 'success'] as const;
    for (const [i, outcome_type] of types.entries())
      await app.call(
        'outcomes.commit',
        { outcome_ref: `o${i}`, outcome_type },
        { ...(i < 2 ? X : Y), session_id: 's' },
      );
    app.clock.advance(HOUR);
    await app.call('outcomes.commit', { outcome_ref: 'later', outcome_type: 'regression' }, { ...Y, session_id: 't' });
    const failed = async (input: object = {}) => {
      const { points } = await app.call('series.read', { unit: 'hour', since: iso(start), ...input }, X);
      return points.map(({ counts, failed_outcomes }) => [counts.outcome, failed_outcomes]);
    };
    const expectAll = async () => {
      expect(await failed()).toEqual([
        [5, 2],
        [1, 1],
      ]);
      expect(await failed({ agent_id: 'agent/x' })).toEqual([[2, 1]]);
      expect(await failed({ types: ['outcome'], unit: 'day' })).toEqual([[6, 3]]);
      expect(await failed({ types: ['write'] })).toEqual([]);
    };
    await expectAll();
    await drain(app);
    await expectAll();
    await changeRows(app, 'UPDATE event_counts SET failures = 0');
    expect(await failed()).toEqual([
      [5, 0],
      [1, 0],
    ]);
    await app.call('outcomes.commit', { outcome_ref: 'uncounted', outcome_type: 'failure' }, { ...X, session_id: 'u' });
    await changeRows(app, countEarlierFailures);
    await drain(app);
    expect(await failed()).toEqual([
      [5, 2],
      [2, 2],
    ]);
    expect(await failed({ agent_id: 'agent/x', unit: 'day' })).toEqual([[3, 2]]);
  });

  it('counts an outcome as failed whose agent was erased before it was counted', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'failure' }, { ...Y, session_id: 's' });
    await app.call('agents.erase', { agent_id: 'agent/y' } as never);
    for (const wait of [async () => undefined, () => drain(app)]) {
      await wait();
      const { points } = await app.call('series.read', { unit: 'day' }, X);
      expect(points).toMatchObject([{ counts: { outcome: 1 }, failed_outcomes: 1 }]);
    }
  });

  it('counts the agents of the newest stretches, where there are very many', async () => {
    const app = await openTestApp(backend, { maxScannedEntries: 3 });
    onTestFinished(() => app.close());
    const start = await fill(app);
    await drain(app);
    const input = { unit: 'hour', since: iso(start), include_agents: true } as const;
    expect(await app.call('series.read', input, Y)).toMatchObject({
      points: [
        { total: 3, agents: 0 },
        { total: 3, agents: 1 },
      ],
      complete_since: iso(start + HOUR),
    });
  });

  it('says from when on nothing is missing, where the log is too long to be counted', async () => {
    const app = await openTestApp(backend, { maxScannedEntries: 3 });
    onTestFinished(() => app.close());
    const start = await fill(app);
    const input = { unit: 'hour', since: iso(start), entity_path: '*' } as const;
    const { points, complete_since } = await app.call('series.read', input, Y);
    expect(points).toEqual([{ at: iso(start + HOUR), total: 3, counts: { write: 2, delete: 1 }, failed_outcomes: 0 }]);
    expect(complete_since).toBe(iso(start + 2 * HOUR));
    await drain(app);
    expect(await app.call('series.read', { unit: 'hour', since: iso(start) }, Y)).toMatchObject({
      points: [{ total: 3 }, { total: 3 }],
      complete_since: null,
    });
  });

  it('forgets minutes after eight days, and agents when they are erased', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const start = await fill(app);
    await drain(app);
    const units = async () => {
      const text = 'SELECT DISTINCT unit FROM event_counts WHERE at <= ? ORDER BY unit';
      return (await rowsOf<{ unit: string }>(app, text, start + HOUR)).map(({ unit }) => unit);
    };
    expect(await units()).toEqual(['day', 'hour', 'minute']);
    app.clock.advance(9 * 24 * HOUR);
    await app.jobs.sweep();
    expect(await units()).toEqual(['day', 'hour']);
    await app.call('agents.erase', { agent_id: 'agent/y' } as never);
    const left = await rowsOf(app, `SELECT 1 FROM event_counts WHERE agent_id = 'agent/y' OR visible_to = 'agent/y'`);
    expect(left).toEqual([]);
  });
});
