import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startMem } from './support/mem-process.ts';
import { folderStore, postgresStore } from './support/store.ts';

const ROUNDS = 4;
const ENTRIES = 400;

async function ask(url: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
  const answer = await fetch(url + path, init);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('a merge', () => {
  let postgres: PostgresServer;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-merges-'));
    postgres = await startPostgres({ fsync: true });
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(backends)('of a server that is killed meanwhile is made as a whole or not at all, on %s', async (backend) => {
    const place = backend === 'sqlite' ? folderStore(join(folder, 'killed')) : postgresStore(postgres.dsn, folder);
    for (let round = 1; round <= ROUNDS; round++) {
      const mem = await startMem(place.env);
      const branch = `round/${round}`;
      const entity_path = `made/${round}`;
      const writes = Array.from({ length: ENTRIES }, (_, i) => ({ entity_path, key: `k${i}`, value: { round, i } }));
      expect(await ask(mem.url, '/api/v1/branches', { name: branch })).toMatchObject({ status: 201 });
      expect(await ask(mem.url, '/api/v1/commits', { branch, writes })).toMatchObject({ status: 201 });
      const merging = ask(mem.url, `/api/v1/branches/${encodeURIComponent(branch)}/merge`, { merge_id: branch });
      const merged = merging.then(
        ({ status }) => status,
        () => 'cut off',
      );
      await sleep(Math.random() * 60 * round);
      expect(await mem.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      const answer = await merged;
      const again = await startMem(place.env);
      const list = async (on: string) => {
        const { body } = await ask(again.url, `/api/v1/entries?entity_path=${entity_path}&branch=${on}&limit=1000`);
        return (body.entries as unknown[]).length;
      };
      const record = await ask(again.url, `/api/v1/merges/${encodeURIComponent(branch)}`);
      const { body: state } = await ask(again.url, `/api/v1/branches/${encodeURIComponent(branch)}`);
      const isMade = record.status === 200;
      if (answer === 200) expect(isMade).toBe(true);
      expect(await list('main')).toBe(isMade ? ENTRIES : 0);
      expect(state.status).toBe(isMade ? 'merged' : 'active');
      const retried = await ask(again.url, `/api/v1/branches/${encodeURIComponent(branch)}/merge`, {
        merge_id: branch,
      });
      expect(retried).toMatchObject({ status: 200, body: { added: ENTRIES, status: 'merged' } });
      expect(await list('main')).toBe(ENTRIES);
      expect(await again.stop()).toEqual({ code: 0, signal: null });
    }
  });
});
