import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Query } from '../../packages/server/src/db/index.ts';
import { backends, openTestApp, readyPlace, type StorePlace, type TestApp, type TestOptions } from '../support/app.ts';
import { programOf } from '../support/program.ts';

const A = { agent_id: 'agent/a' };
const PAIRS = 130;

/** Numbers as words, so that no two values are alike. */
const NAMES = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fjord',
  'grove',
  'heath',
  'inlet',
  'jetty',
  'knoll',
  'lagoon',
];
const nameOf = (i: number): string => `${NAMES[i % 12]} ${NAMES[Math.floor(i / 12) % 12]} ${i}`;

describe.each(backends)('a long consolidation, on %s', (backend) => {
  const opened: { close(): Promise<void> }[] = [];
  const open = async (options: TestOptions = {}): Promise<TestApp> => {
    const app = await openTestApp(backend, { settings: { embedder: 'off' }, ...options });
    opened.push(app);
    return app;
  };
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const laid = async (app: TestApp): Promise<void> => {
    const writes = Array.from({ length: PAIRS }, (_, i) => i).flatMap((i) =>
      ['first', 'second'].map((key) => ({
        entity_path: `pairs/${i}`,
        key,
        value: `the depot of ${nameOf(i)} is closed`,
      })),
    );
    await app.call('commits.create', { writes }, A);
  };
  const demoted = async (app: TestApp): Promise<number> => {
    const { entries } = await app.call('entries.list', { entity_path: 'pairs/**', limit: 1000 }, A);
    expect(entries).toHaveLength(2 * PAIRS);
    expect(new Set(entries.map(({ confidence }) => confidence))).toEqual(new Set([0.7, 0.35]));
    return entries.filter(({ confidence }) => confidence === 0.35).length;
  };

  it('goes on in the background, and the next run looks at what changed since', async () => {
    const app = await open();
    await laid(app);
    const first = await app.call('consolidation.run', {}, A);
    expect(first).toMatchObject({ status: 'running', entries_looked_at: 100, consolidated_at: null });
    expect(first.progress).toBeLessThan(1);
    await app.jobs.sweep();
    const { last_run, running, auto_archived } = await app.call('consolidation.status', {}, A);
    expect({ running, auto_archived }).toEqual({ running: false, auto_archived: PAIRS });
    expect(last_run).toMatchObject({ status: 'done', entries_looked_at: 2 * PAIRS, auto_archived: PAIRS, progress: 1 });
    expect(await demoted(app)).toBe(PAIRS);
    await app.call('entries.write', { entity_path: 'pairs/0', key: 'first', value: 'it is open again now' }, A);
    expect(await app.call('consolidation.run', {}, A)).toMatchObject({ status: 'done', entries_looked_at: 1 });
  });

  it('is one at a time for an account; the same caller goes on with it', async () => {
    const place = await readyPlace(backend);
    opened.push({ close: () => place.remove() });
    const app = await open({ place });
    await laid(app);
    const [one, other] = await Promise.allSettled([
      app.call('consolidation.run', {}, A),
      app.call('consolidation.run', {}, { agent_id: 'agent/b' }),
    ]);
    expect(one).toMatchObject({ status: 'fulfilled', value: { status: 'running' } });
    if (other.status === 'rejected') expect(other.reason).toMatchObject({ code: 'conflict' });
    await app.jobs.sweep();
    expect(await demoted(app)).toBe(PAIRS);
  });

  it('refuses another one at once, before it plans anything', async () => {
    const app = await open();
    await laid(app);
    expect(await app.call('consolidation.run', {}, A)).toMatchObject({ status: 'running' });
    const { database } = app.kernel.services;
    const forAccount = database.forAccount.bind(database);
    let looks = 0;
    const counted = (scan: Query): Query => ({
      ...scan,
      all: (statement) => {
        looks++;
        return scan.all(statement);
      },
    });
    database.forAccount = (id) => ({ ...forAccount(id), scan: counted(forAccount(id).scan) });
    const others = Array.from({ length: 8 }, (_, n) => app.call('consolidation.run', {}, { agent_id: `agent/${n}` }));
    for (const one of await Promise.allSettled(others)) expect(one).toMatchObject({ reason: { code: 'conflict' } });
    database.forAccount = forAccount;
    // The run itself goes on meanwhile, and looks too.
    expect(looks).toBeLessThan(others.length);
  });

  it('is finished by another server after a kill -9, each step once', async () => {
    const place = await readyPlace(backend);
    opened.push({ close: () => place.remove() });
    const first = await open({ place });
    await laid(first);
    const now = first.clock.now();
    await opened.pop()?.close();
    await killWhileRunning(place, now);
    const app = await open({ place });
    // The claim of the server that died ends.
    app.clock.advance(60_000);
    for (let n = 0; n < 3; n++) await app.jobs.sweep();
    expect(await app.call('consolidation.status', {}, A)).toMatchObject({ running: false, auto_archived: PAIRS });
    expect(await demoted(app)).toBe(PAIRS);
  });
});

async function killWhileRunning({ options }: StorePlace, now: number): Promise<void> {
  const { dataDir, postgresDsn } = options;
  const program = await programOf(join(import.meta.dirname, 'consolidating-process.ts'));
  const given = JSON.stringify({ dataDir, postgresDsn, now });
  const child = spawn(process.execPath, [program, given]);
  const over = once(child, 'exit');
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.includes('began: running')) child.kill('SIGKILL');
  });
  const [code, signal] = await over;
  expect(signal, `${code}: ${output}`).toBe('SIGKILL');
}
