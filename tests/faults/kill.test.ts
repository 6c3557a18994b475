import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { HttpClient } from './support/client.ts';
import { startMem, until } from './support/mem-process.ts';
import {
  expectAll,
  expectFound,
  expectWhole,
  folderStore,
  postgresStore,
  readContents,
  type StoreAccess,
} from './support/store.ts';
import { newOutcome, startLoad } from './support/workload.ts';

const ROUNDS = 2;

describe('what was acknowledged survives', () => {
  let postgres: PostgresServer;
  let folder: string;
  const store = (backend: 'sqlite' | 'postgres', name: string): StoreAccess =>
    backend === 'sqlite' ? folderStore(join(folder, name)) : postgresStore(postgres.dsn, folder);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-kill-'));
    postgres = await startPostgres({ fsync: true });
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(backends)('a server that is killed in the middle of writes, again and again, on %s', async (backend) => {
    const place = store(backend, 'killed');
    const outcome = newOutcome();
    for (let round = 1; round <= ROUNDS; round++) {
      const mem = await startMem(place.env);
      const load = startLoad(new HttpClient(mem.url), { name: `r${round}`, outcome });
      const before = outcome.acknowledged.length;
      await until(() => outcome.acknowledged.length > before + 150, { what: 'writes to be acknowledged' });
      await sleep(Math.random() * 50);
      expect(await mem.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      await load.stop();
    }
    const mem = await startMem(place.env);
    const client = new HttpClient(mem.url);
    expect(outcome.wrong).toEqual([]);
    expect(outcome.refusals.size).toBe(0);
    expect(outcome.broken).toBeGreaterThan(0);
    const contents = await readContents(client);
    expectAll(contents, outcome.acknowledged);
    await expectWhole(place, client, contents);
    await expectFound(client, outcome.acknowledged);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });

  it('a PostgreSQL that is killed under load: 503 meanwhile, and the server recovers by itself', async () => {
    const place = store('postgres', 'lost');
    const mem = await startMem(place.env);
    const client = new HttpClient(mem.url);
    const load = startLoad(client, { name: 'pg', pauseMs: 2 });
    const { outcome } = load;
    for (let round = 1; round <= 2; round++) {
      const before = outcome.acknowledged.length;
      await until(() => outcome.acknowledged.length > before + 150, { what: 'writes to be acknowledged' });
      const refusedBefore = outcome.refusals.get('503 unavailable') ?? 0;
      await postgres.kill9();
      await until(() => (outcome.refusals.get('503 unavailable') ?? 0) > refusedBefore + 20, { what: 'refusals' });
      await postgres.restart();
    }
    const before = outcome.acknowledged.length;
    await until(() => outcome.acknowledged.length > before + 150, { what: 'writes to be acknowledged again' });
    await load.stop();
    expect(outcome.wrong).toEqual([]);
    expect(outcome.broken).toBe(0);
    expect([...outcome.refusals.keys()]).toEqual(['503 unavailable']);
    const contents = await readContents(client);
    expectAll(contents, outcome.acknowledged);
    await expectWhole(place, client, contents);
    await expectFound(client, outcome.acknowledged);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });
});
