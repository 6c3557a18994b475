import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { type MemProcess, startMem, until } from '../faults/support/mem-process.ts';
import { backends, openTestApp, readyPlace, type StorePlace } from '../support/app.ts';
import { send } from '../support/wire.ts';

const headers = (session: string) => ({ 'x-mem-session-id': session, 'x-mem-agent-id': 'agent/one' });

const write = (mem: MemProcess, key: string) =>
  send(mem.url, {
    method: 'POST',
    path: '/api/v1/entries',
    headers: headers('writing'),
    body: JSON.stringify({ entity_path: 'known', key, value: 1 }),
  });

const read = (mem: MemProcess, key: string, session: string) =>
  send(mem.url, { method: 'GET', path: `/api/v1/entries/known/${key}`, headers: headers(session) });

async function commit(mem: MemProcess, session: string, input: object = {}) {
  const body = JSON.stringify({ outcome_ref: `of-${session}`, outcome_type: 'success', ...input });
  const { json } = await send(mem.url, { method: 'POST', path: '/api/v1/outcomes', headers: headers(session), body });
  return json as {
    causes_complete: boolean;
    causes_incomplete_because: string | null;
    affected_entries: number;
    trace_id: string;
  };
}

async function startTwo(place: StorePlace): Promise<[MemProcess, MemProcess]> {
  const { dataDir, postgresDsn } = place.options;
  const env = { MEM_DATA_DIR: dataDir, ...(postgresDsn === undefined ? {} : { MEM_POSTGRES_DSN: postgresDsn }) };
  const one = await startMem(env);
  const two = await startMem(env);
  return [one, two];
}

/** What each process on a folder shows the others. */
const markedIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('pending-notes-'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

/** Stops it so soon after a read that it has not written its notes. */
async function freezeAfterRead(
  mem: MemProcess,
  { place, session }: { place: StorePlace; session: string },
): Promise<void> {
  const { dataDir, postgresDsn } = place.options;
  const isMarked = () => markedIn(dataDir).some((byte) => byte === '1');
  for (;;) {
    await read(mem, 'k', session);
    process.kill(mem.pid, 'SIGSTOP');
    await sleep(20);
    if (postgresDsn !== undefined || isMarked()) return;
    process.kill(mem.pid, 'SIGCONT');
  }
}

describe.each(backends)('an outcome over two processes on %s', (backend) => {
  it('knows all causes while both answer, and says so where one does not', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const [one, two] = await startTwo(place);
    await write(one, 'k');
    await read(one, 'k', 'both');
    expect(await commit(two, 'both')).toMatchObject({ causes_complete: true, affected_entries: 1 });

    await freezeAfterRead(one, { place, session: 'frozen' });
    const frozen = await commit(two, 'frozen');
    expect(frozen).toMatchObject({ causes_complete: false, causes_incomplete_because: expect.stringMatching(/read/) });
    const { causes_incomplete_because: because } = frozen;
    const incomplete = { causes_complete: false, causes_incomplete_because: because };
    expect(await commit(two, 'frozen')).toMatchObject({ duplicate: true, ...incomplete });
    const listed = await send(two.url, { method: 'GET', path: '/api/v1/outcomes?outcome_ref=of-frozen' });
    expect((listed.json as { outcomes: object[] }).outcomes).toMatchObject([incomplete]);
    const explained = await send(two.url, { method: 'GET', path: `/api/v1/explain?trace_id=${frozen.trace_id}` });
    expect(explained.json).toMatchObject({ status: 'sealed', ...incomplete });
    // An outcome that names its causes needs no notes.
    const causal_entry_keys = [{ entity_path: 'known', key: 'k' }];
    expect(await commit(two, 'named', { causal_entry_keys })).toMatchObject({ causes_complete: true });

    process.kill(one.pid, 'SIGCONT');
    await until(
      async () => {
        const session = `thawed-${Math.random()}`;
        await read(one, 'k', session);
        return (await commit(two, session)).causes_complete;
      },
      { what: 'an outcome that misses nothing again' },
    );
    expect(await two.stop()).toEqual({ code: 0, signal: null });
    await read(one, 'k', 'alone');
    expect(await commit(one, 'alone')).toMatchObject({ causes_complete: true, affected_entries: 1 });
    expect(await one.stop()).toEqual({ code: 0, signal: null });
    expect(markedIn(place.options.dataDir)).toEqual([]);
  });

  it('says so too when the process with the reads was killed before this one started', {
    timeout: 120_000,
  }, async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const [one, two] = await startTwo(place);
    await write(one, 'k');
    await freezeAfterRead(one, { place, session: 'lost' });
    await one.stop('SIGKILL');
    await two.stop();
    const { dataDir, postgresDsn } = place.options;
    const three = await startMem({
      MEM_DATA_DIR: dataDir,
      ...(postgresDsn === undefined ? {} : { MEM_POSTGRES_DSN: postgresDsn }),
    });
    const lost = await commit(three, 'lost');
    expect(lost).toMatchObject({ causes_complete: false, affected_entries: 0 });
    expect(await three.stop()).toEqual({ code: 0, signal: null });
  });
});

describe.each(backends)('an outcome of one process on %s', (backend) => {
  it('says so where reads are not noted', async () => {
    const app = await openTestApp(backend, { trackReads: false });
    onTestFinished(() => app.close());
    const as = { session_id: 's' };
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
    await app.call('entries.read', { entity_path: 'a', key: 'k' }, as);
    const committed = await app.call('outcomes.commit', { outcome_ref: 'r', outcome_type: 'success' }, as);
    expect(committed).toMatchObject({ causes_complete: false, affected_entries: 0 });
  });

  it('of an attempt that was closed without all reads misses them still', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const as = { session_id: 's' };
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
    const { noteBuffer } = app.kernel.services;
    const refusal = { kind: 'error' as const, ...REFUSAL, at: app.clock.now() };
    for (let i = 0; i < 20_000; i++) noteBuffer.note('other', { agent_id: 'a', session: 's' }, refusal);
    noteBuffer.note(SELF_HOSTED_ACCOUNT, { agent_id: 'agent/test', session: 's' }, refusal);
    const attempt = await app.call('sessions.record_attempt', { outcome_type: 'failure' }, as);
    expect(attempt).toMatchObject({
      entries: 0,
      causes_complete: false,
      causes_incomplete_because: expect.stringMatching(/more entries were read/),
    });
    const committed = await app.call('outcomes.commit', { outcome_ref: 'r', outcome_type: 'success' }, as);
    expect(committed.causes_complete).toBe(false);
  });
});

const REFUSAL = { operation: 'entries.read', entity_path: null, error_type: 'not_found', message: '', visible_to: '' };
