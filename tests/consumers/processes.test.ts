import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../faults/support/mem-process.ts';
import { folderStore, postgresStore, type StoreAccess } from '../faults/support/store.ts';
import { backends, readyPlace, type StorePlace } from '../support/app.ts';
import { programOf } from '../support/program.ts';

type Started = { child: ChildProcess; output(): string };

async function start({ options }: StorePlace, name: string, writes: number): Promise<Started> {
  const { dataDir, postgresDsn } = options;
  const program = await programOf(join(import.meta.dirname, 'consuming-process.ts'));
  const given = JSON.stringify({ dataDir, postgresDsn, writes, name });
  const child = spawn(process.execPath, [program, given]);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output: () => output };
}

async function end({ child }: Started, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, 'exit');
  child.kill(signal);
  await over;
}

type Handled = { seq: number; of: number; by: string };

async function handledIn(store: StoreAccess): Promise<Handled[]> {
  const rows = await store.rows<{ seq: number | string; details: string; agent_id: string }>(
    `SELECT seq, details, agent_id FROM events WHERE event_type = 'handled' ORDER BY seq`,
  );
  return rows.map(({ seq, details, agent_id }) => ({ seq: Number(seq), of: JSON.parse(details).seq, by: agent_id }));
}

async function writtenIn(store: StoreAccess): Promise<number[]> {
  const rows = await store.rows<{ seq: number | string }>(
    `SELECT seq FROM events WHERE event_type = 'write' ORDER BY seq`,
  );
  return rows.map(({ seq }) => Number(seq));
}

const WRITES = 100;

describe.each(backends)('two servers on one store on %s', (backend) => {
  it('handle each event once and in order, also when one is killed in the middle of it', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const { dataDir, postgresDsn } = place.options;
    const store = postgresDsn === undefined ? folderStore(dataDir) : postgresStore(postgresDsn, dataDir);
    const first = await start(place, 'first', WRITES);
    await until(() => first.output().includes('ready'), { what: `the first server: ${first.output()}` });
    const second = await start(place, 'second', WRITES);
    await until(() => second.output().includes('ready'), { what: `the second server: ${second.output()}` });
    await until(async () => (await handledIn(store)).length > 40, { what: 'events to be handled' });
    await sleep(Math.random() * 50);
    await end(first, 'SIGKILL');
    await until(() => second.output().includes('written'), { what: `all writes of the second: ${second.output()}` });
    const third = await start(place, 'third', 20);
    await until(() => third.output().includes('written'), { what: `all writes of the third: ${third.output()}` });
    const written = await writtenIn(store);
    const isDone = async () => (await handledIn(store)).length >= written.length;
    await until(isDone, { what: `all to be handled: ${second.output()} ${third.output()}` });
    await sleep(300);
    const handled = await handledIn(store);
    expect(handled.map(({ of }) => of)).toEqual(written);
    expect(written.length).toBeGreaterThan(WRITES + 20);
    await Promise.all([end(second, 'SIGTERM'), end(third, 'SIGTERM')]);
    const [cursor] = await store.rows<{ seq: number | string; claimed_by: string }>(
      `SELECT seq, claimed_by FROM consumer_cursors WHERE consumer = 'test.mirror'`,
    );
    expect(Number(cursor?.seq)).toBeGreaterThanOrEqual(written.at(-1) as number);
    expect(cursor?.claimed_by).toBe('');
  });
});
