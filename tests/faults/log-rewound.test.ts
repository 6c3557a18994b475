import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, type Operation, type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { backupStore, restoreStore } from '../../packages/server/src/backup.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { isPagedByLog } from '../../packages/server/src/kernel/log-cursors.ts';
import { indexerOf } from '../../packages/server/src/modules/text/indexer.ts';
import { collector, openWith, writeKeys } from '../consumers/support.ts';
import { layAlerts } from '../contract/alerts.ts';
import { layMatches } from '../contract/behaviors.ts';
import { layFixes } from '../contract/fixes.ts';
import { layIncidents } from '../contract/incidents.ts';
import { layPatterns } from '../contract/patterns.ts';
import { range } from '../stream/support.ts';
import { type Backend, backends, caller, openTestApp, runSql, type TestApp } from '../support/app.ts';
import { readyPlace, type StorePlace } from '../support/place.ts';
import { until } from './support/mem-process.ts';

/** The file of a backup of a folder, and the folder that it is to be restored into. */
async function backUpFolder({ options: { dataDir } }: StorePlace) {
  const file = join(dataDir, 'backup.db');
  await backupStore(readConfig({ MEM_DATA_DIR: dataDir }), { file, force: false });
  const folder = join(dataDir, 'restored');
  return { file, folder };
}

/** Makes a backup of a store that nobody has open. Returns what restores it. */
async function backUp(backend: Backend, place: StorePlace): Promise<() => Promise<StorePlace>> {
  const { options } = place;
  if (backend === 'sqlite') {
    const { file, folder } = await backUpFolder(place);
    return async () => {
      await restoreStore(readConfig({ MEM_DATA_DIR: folder }), { file, force: false });
      return { ...place, options: { dataDir: folder } };
    };
  }
  const name = new URL(options.postgresDsn as string).pathname.slice(1);
  const admin = inject('postgresDsn');
  await runSql(admin, `CREATE DATABASE ${name}_backup TEMPLATE ${name}`);
  return async () => {
    await runSql(admin, `DROP DATABASE ${name} WITH (FORCE)`);
    await runSql(admin, `ALTER DATABASE ${name}_backup RENAME TO ${name}`);
    return place;
  };
}

/** Lists of parts of a thing go with it, and are numbered within it. */
const isOfThing = (name: OperationName) =>
  /\{(merge_id|quarantine_id|team_id|room_id|id)\}|\/access$/.test(operations[name].http.path);
const pagedByLog = operationNames.filter((name) => isPagedByLog(operations[name] as Operation) && !isOfThing(name));
const AGENT = 'agent/test';

/** The first page of a list, as short as it can be. */
function firstPage(name: OperationName) {
  const { shape } = operations[name].input as unknown as { shape: object };
  if (['entries.history', 'entries.readers'].includes(name)) return { limit: 1, entity_path: 'a/b', key: 'versions' };
  if (name === 'behaviors.list_traces') return { limit: 1, behavior_id: 'no-errors' };
  if (name === 'branches.diff') return { limit: 1, name: 'kept-1' };
  if (name === 'branches.compare') return { limit: 1, from: 'main@0' };
  return { limit: 1, ...('agent_id' in shape && name.startsWith('agents.') ? { agent_id: AGENT } : {}) };
}

/** Another agent reads an entry that is changed before its outcome. */
async function readStale(app: TestApp, session_id: string): Promise<void> {
  const at = { entity_path: 'a/b', key: 'versions' };
  const reader = { agent_id: `agent/${session_id}`, session_id };
  await app.call('entries.read', at, reader);
  await app.call('entries.write', { ...at, value: `${session_id}, again` });
  await app.call('outcomes.commit', { outcome_ref: `${session_id}-stale`, outcome_type: 'success' }, reader);
}

/** What a judge of its own finds in a trace, and the past judged by it. */
async function judgeTrace(app: TestApp, trace_id: string, judge_id: string): Promise<void> {
  const checks = [{ check: 'most' as const, of: 'errors' as const, limit: 0 }];
  await app.call('judges.create', { judge_id, definition: { kind: 'code', checks }, status: 'draft' });
  await app.call('verdicts.judge', { trace_id, judge_id });
  await layIncidents(app, { as: {} }, { trace_id, judge_ids: [judge_id] });
  await app.call('backfills.create', { judge_id });
  await app.call('cases.create', { case_id: judge_id });
  await layMatches(app, { as: {} }, { trace_id, behavior_ids: ['no-errors'] });
  await app.call('case_runs.create', {});
  await layAlerts(app, { as: {}, known: {} }, { ids: [judge_id] });
  await layPatterns(app, { as: {}, known: {} }, { paths: [`patterns/${judge_id}`] });
  await layFixes(app, { as: {}, mark: judge_id }, { keys: ['wrong'] });
}

/** Two of everything that is listed. */
async function fill(app: TestApp, round: string): Promise<void> {
  const matcher = [{ check: 'most' as const, of: 'errors' as const, limit: 0 }];
  const behavior_id = 'no-errors';
  if (round === 'kept') await app.call('behaviors.create', { behavior_id, matcher, status: 'draft', backfill: false });
  for (const n of [1, 2]) {
    const name = `${round}-${n}`;
    const writes = [name, 'versions'].map((key) => ({ entity_path: 'a/b', key, value: name }));
    await app.call('commits.create', { message: name, writes });
    const { trace_id } = await app.call('outcomes.commit', { outcome_ref: name, outcome_type: 'success' });
    await judgeTrace(app, trace_id as string, name);
    await readStale(app, name);
    await app.call('tags.create', { name });
    await app.call('branches.create', { name });
    const writeOn = (key: string) =>
      app.call('entries.write', { entity_path: 'a/b', key: `${name}-${key}`, value: name, branch: name });
    await writeOn('merged');
    await app.call('branches.merge', { name, keep_open: true, strategy: 'THREE_WAY' });
    for (const key of ['ahead', 'ahead-too']) await writeOn(key);
    await app.call('pull_requests.create', { title: name, source_branch: name });
    await app.call('quarantine.create', { written_by: 'agent/nobody' });
    await app.call('consolidation.propose', { sources: writes.map(({ entity_path, key }) => ({ entity_path, key })) });
  }
  // What follows the log adds to it.
  await app.jobs.sweep();
}

const nextCursorOf = async (app: TestApp, name: OperationName): Promise<string> => {
  const { next_cursor } = (await app.call(name, firstPage(name) as never)) as { next_cursor: string };
  expect(next_cursor, name).toEqual(expect.any(String));
  return next_cursor;
};
const positionOf = async (app: TestApp): Promise<string> => (await app.call('log.list', { limit: 1000 })).last_position;

describe.each(backends)('a log that was set back by a restored backup on %s', (backend) => {
  let place: StorePlace;
  let app: TestApp;
  let kept: string;
  let lost: string;
  const cursors = new Map<OperationName, { kept: string; lost: string }>();
  const open = (at = place) => openTestApp(backend, { place: at });
  const lastSeq = async () => (await app.call('stats.read', {})).last_seq;

  beforeAll(async () => {
    place = await readyPlace(backend);
    app = await open();
    await fill(app, 'kept');
    kept = await positionOf(app);
    for (const name of pagedByLog) cursors.set(name, { kept: await nextCursorOf(app, name), lost: '' });
    await app.close();
    const restore = await backUp(backend, place);
    app = await open();
    await fill(app, 'lost');
    lost = await positionOf(app);
    for (const [name, of] of cursors) of.lost = await nextCursorOf(app, name);
    await app.close();
    app = await open(await restore());
  });
  afterAll(async () => {
    await app.close();
    await place.remove();
  });

  const expectKnown = async () => {
    const rewound = { code: 'log_rewound', detail: { last_seq: await lastSeq(), position: await positionOf(app) } };
    await expect(app.call('log.list', { after: lost })).rejects.toMatchObject(rewound);
    await expect(app.call('log.stream', { after: lost })).rejects.toMatchObject(rewound);
    expect((await app.call('log.list', { after: kept, limit: 1000 })).last_seq).toBe(rewound.detail.last_seq);
    for (const [name, of] of cursors) {
      const page = (cursor: string) => app.call(name, { ...firstPage(name), cursor } as never);
      await expect(page(of.lost), name).rejects.toMatchObject(rewound);
      await expect(page(of.kept), name).resolves.toBeDefined();
    }
  };

  it('refuses positions and cursors of what is gone, and goes on from the others', async () => {
    expect(pagedByLog).toEqual(
      expect.arrayContaining(['entries.list', 'outcomes.list', 'traces.list', 'commits.list']),
    );
    expect(await lastSeq()).toBeLessThan(Number.parseInt(lost, 10));
    await expectKnown();
    // A plain number says no more than that the log is too short.
    await expect(app.call('log.list', { after: 999 })).rejects.toMatchObject({ code: 'log_rewound' });
  });

  it('does so when other events have the same numbers', async () => {
    for (const round of ['again', 'more']) await fill(app, round);
    expect(await lastSeq()).toBeGreaterThan(Number.parseInt(lost, 10));
    await expectKnown();
  });

  it('is searched as it is', async () => {
    const found = async (query: string) => JSON.stringify(await app.call('entries.search', { query }));
    expect(await found('more')).toContain('"more-1"');
    expect(await found('lost')).not.toContain('"lost-1"');
  });
});

describe('a store whose file was put back by hand', () => {
  it('is not searched by the words of what is gone', async () => {
    const place = await readyPlace('sqlite');
    onTestFinished(() => place.remove());
    const fillAndIndex = async (...keys: string[]) => {
      const app = await openTestApp('sqlite', { place });
      await writeKeys(app, ...keys);
      indexerOf(app.kernel.services)?.request(SELF_HOSTED_ACCOUNT);
      await indexerOf(app.kernel.services)?.drain();
      return app;
    };
    await (await fillAndIndex('kept')).close();
    const { file, folder: dataDir } = await backUpFolder(place);
    await (await fillAndIndex('lost-1', 'lost-2', 'lost-3')).close();
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(file, join(dataDir, 'mem.db'));
    copyFileSync(join(place.options.dataDir, 'words.db'), join(dataDir, 'words.db'));
    const app = await openTestApp('sqlite', { place: { ...place, options: { dataDir } } });
    await writeKeys(app, 'one', 'two', 'three', 'four');
    for (const query of ['one', 'four', 'kept'])
      expect(JSON.stringify(await app.call('entries.search', { query }))).toContain(`"key":"${query}"`);
    await app.close();
  });
});

describe('a log that is set back under a running server', () => {
  const KEPT = ['kept-1', 'kept-2'];
  const LOST = ['lost-1', 'lost-2', 'lost-3'];
  const NEW = ['new-1', 'new-2', 'new-3', 'new-4', 'new-5'];

  /** A server that has committed what is then lost. */
  async function openRewindable() {
    const place = await readyPlace('postgres');
    onTestFinished(() => place.remove());
    const before = await openWith('postgres', [collector().consumer], { place });
    await writeKeys(before, ...KEPT);
    await before.kernel.services.consumers.walk();
    await before.kernel.services.consumers.drain();
    await before.close();
    const restore = await backUp('postgres', place);
    const handled = collector();
    const app = await openWith('postgres', [handled.consumer], { place });
    await writeKeys(app, ...LOST);
    const { consumers } = app.kernel.services;
    const drain = async () => {
      await consumers.walk();
      await consumers.drain();
    };
    await drain();
    return { app, place, restore, handled, drain };
  }

  it('ends its streams with log_rewound; consumers, and who comes back, go on with what is there', async () => {
    const { app, restore, handled, drain } = await openRewindable();
    const seen: number[] = [];
    const subscription = await app.kernel.open('log.stream', { after: 0 }, caller());
    const ended = new Promise<Fault | undefined>((end) => {
      subscription.start({ take: (events) => void seen.push(...events.map(({ seq }) => seq)), end });
    });
    await until(() => seen.length === 5, { what: 'what is lost later' });
    await restore();
    await until(() => writeKeys(app, NEW[0] as string).then(...YES_OR_NO), { what: 'the first write' });
    await writeKeys(app, ...NEW.slice(1));
    const fault = await ended;
    expect(fault).toMatchObject({ code: 'log_rewound', detail: { last_seq: expect.any(Number) } });
    const position = String(fault?.detail.position);
    const { events } = await app.call('log.list', { after: position });
    expect(events.map(({ seq }) => seq)).toEqual(range(Number.parseInt(position, 10) + 1, 7));
    await drain();
    expect(handled.keys()).toEqual([...LOST, ...NEW]);
  });

  it.each(['before', 'after'])('is noticed by a write %s other servers have written more', async (order) => {
    const { app, place, restore } = await openRewindable();
    const { knownLogs, noteBuffer } = app.kernel.services;
    await app.call('entries.read', { entity_path: 'log', key: 'lost-1' });
    await restore();
    if (order === 'after') {
      const other = await openTestApp('postgres', { place });
      await writeKeys(other, ...NEW);
      await other.close();
    }
    await until(() => writeKeys(app, 'own').then(...YES_OR_NO), { what: 'its own write' });
    expect(knownLogs.rewinds).toBe(1);
    expect(noteBuffer.gapOf(SELF_HOSTED_ACCOUNT)).toMatchObject({ reason: expect.stringContaining('set back') });
    // Which entry has the number now was not read.
    await noteBuffer.flushAll();
    const answer = await app.call('entries.read', { entity_path: 'log', key: order === 'after' ? 'new-1' : 'own' });
    expect(answer).toMatchObject({ recall_count: 0 });
  });
});

const YES_OR_NO = [() => true, () => false] as const;
