import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HttpClient, metricsOf } from './support/client.ts';
import { startMem } from './support/mem-process.ts';
import { expectWhole, folderStore, readContents } from './support/store.ts';

const OPERATIONS = 2500;
const LANES = 4;
const GROWTH_BYTES = 150 * 1024 * 1024;

/** One of everything, again and again; the store itself stays small. */
async function operate(client: HttpClient, turn: number): Promise<number> {
  const at = `entity_path=soak/p${turn % 7}&key=k${turn % 40}`;
  const draft = {
    entity_path: `soak/p${turn % 7}`,
    key: `k${turn % 40}`,
    value: { turn, text: 'words '.repeat(turn % 100) },
  };
  switch (turn % 10) {
    case 0:
      return (await client.post('/api/v1/search', { query: `words ${turn}`, limit: 5 })).status;
    case 1:
      return (await client.get(`/api/v1/entry?${at}`)).status;
    case 2:
      return (await client.get('/api/v1/entries?limit=20')).status;
    case 3:
      return (await client.post('/api/v1/commits', { message: `${turn}`, writes: [draft] })).status;
    case 4:
      return (await client.call('DELETE', `/api/v1/entry?${at}`)).status;
    case 5:
      return (await client.get('/api/v1/stats')).status;
    case 6:
      return (await client.post('/api/v1/entries', { ...draft, if_version: 999 })).status;
    case 7:
      return (await client.get(`/api/v1/log?after=${turn}&limit=10`)).status;
    default:
      return (await client.post('/api/v1/entries', draft)).status;
  }
}

it('thousands of operations leave no memory and nothing open behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-soak-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = folderStore(folder);
  const mem = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
  const client = new HttpClient(mem.url, LANES);
  const run = async (from: number, count: number) => {
    const lane = async (first: number) => {
      for (let turn = first; turn < from + count; turn += LANES)
        expect([200, 201, 404, 409]).toContain(await operate(client, turn));
    };
    await Promise.all(Array.from({ length: LANES }, (_, i) => lane(from + i)));
  };
  await run(0, OPERATIONS / 5);
  const { process_resident_memory_bytes: before = 0 } = await metricsOf(client);
  await run(OPERATIONS / 5, (OPERATIONS * 4) / 5);
  const { process_resident_memory_bytes: after = 0 } = await metricsOf(client);
  expect(after - before).toBeLessThan(GROWTH_BYTES);
  await expectWhole(store, client, await readContents(client));
  // The process ends by itself when nothing is open any more; it is not made to.
  expect(await mem.stop()).toEqual({ code: 0, signal: null });
});
