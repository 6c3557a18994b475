import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { until } from '../faults/support/mem-process.ts';
import { openTestApp, readyPlace, type StorePlace } from '../support/app.ts';
import { programOf } from '../support/program.ts';
import { allDigests } from './compiled.ts';

type CompilingServer = { child: ChildProcess; output(): string };

async function start({ options: { dataDir, postgresDsn } }: StorePlace): Promise<CompilingServer> {
  const program = await programOf(join(import.meta.dirname, 'compiling-process.ts'));
  const given = JSON.stringify({ dataDir, postgresDsn });
  const child = spawn(process.execPath, [program, given]);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output: () => output };
}

/** More than are stored in one transaction. */
const PATHS = 150;
const KEYS = 8;

it('a server goes on with the digests of another one that is killed while it compiles', async () => {
  const place = await readyPlace('postgres');
  onTestFinished(() => place.remove());
  const writer = await openTestApp('postgres', { place, settings: { cortex: 'off', embedder: 'off' } });
  onTestFinished(() => writer.close());
  for (let p = 0; p < PATHS; p++) {
    const writes = Array.from({ length: KEYS }, (_, k) => ({ entity_path: `p/${p}`, key: `k${k}`, value: k }));
    await writer.call('commits.create', { writes } as never, { agent_id: 'agent/a' });
  }
  const servers = [await start(place), await start(place)];
  for (const { output } of servers)
    await until(() => output().includes('ready'), { what: `a server to be ready: ${output()}` });
  const { read } = writer.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
  const cursor = () =>
    read.get<{ seq: number; claimed_by: string }>({
      text: `SELECT seq, claimed_by FROM consumer_cursors WHERE account_id = ? AND consumer = 'cortex.compile_digests'`,
      values: [SELF_HOSTED_ACCOUNT],
    });
  let victim: CompilingServer | undefined;
  await until(
    async () => {
      const by = (await cursor())?.claimed_by;
      victim = servers.find(({ output }) => by && output().includes(by));
      return victim !== undefined;
    },
    { what: 'a claim on the digests' },
  );
  const over = once((victim as CompilingServer).child, 'exit');
  victim?.child.kill('SIGKILL');
  await over;
  const isDone = async () => (await writer.call('cortex.status', {})).worker.lag === 0;
  await until(isDone, { what: `the other server: ${servers.map(({ output }) => output()).join()}` });
  const digests = await allDigests(writer);
  expect(digests.filter(({ digest_type }) => digest_type === 'entity')).toHaveLength(PATHS);
  for (const { digest_type, entry_count } of digests)
    expect(entry_count).toBe(digest_type === 'entity' ? KEYS : PATHS * KEYS);
  // Each was reported once: a digest and its event are one transaction, and one that is there already is left alone.
  const briefs = await read.all<{ entity_path: string; seq: number }>({
    text: `SELECT entity_path, seq FROM events WHERE account_id = ? AND event_type = 'brief_compiled' AND entity_path IS NOT NULL`,
    values: [SELF_HOSTED_ACCOUNT],
  });
  expect(briefs).toHaveLength(PATHS);
});
