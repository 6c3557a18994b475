import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { HttpClient } from './support/client.ts';
import { startMem, until } from './support/mem-process.ts';
import { folderStore, postgresStore, type StoreAccess } from './support/store.ts';

/** More than two batches of the index. */
const ENTRIES = 1_200;

const WITHOUT_VECTOR = `SELECT count(*) AS n FROM entries WHERE deleted = 0 AND NOT EXISTS (SELECT 1 FROM entry_vectors
  WHERE entry_vectors.entry_id = entries.entry_id AND entry_vectors.seq = entries.seq)`;
const OUTDATED = `SELECT count(*) AS n FROM entry_vectors WHERE NOT EXISTS (SELECT 1 FROM entries
  WHERE entries.entry_id = entry_vectors.entry_id AND entries.seq = entry_vectors.seq AND deleted = 0)`;

describe('the index of meaning', () => {
  let postgres: PostgresServer;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-recall-kill-'));
    postgres = await startPostgres();
  });
  afterEach(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(backends)('has the newest vector of each entry after a kill while it embeds, on %s', async (backend) => {
    const store: StoreAccess =
      backend === 'sqlite' ? folderStore(join(folder, 'store')) : postgresStore(postgres.dsn, folder);
    const count = async (text: string) => Number((await store.rows<{ n: number }>(text))[0]?.n);
    const vectors = () => count('SELECT count(*) AS n FROM entry_vectors');
    const write = (client: HttpClient, n: number, value: string) => client.write(`burst/${n % 7}`, `k${n}`, value);
    const killed = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
    const first = new HttpClient(killed.url);
    const written = await Promise.all(
      Array.from({ length: ENTRIES }, (_, n) => write(first, n, `a note about topic ${n} and its garden`)),
    );
    expect(written.filter(({ status }) => status !== 201)).toEqual([]);
    await until(async () => (await vectors()) > 0, { what: 'the first vectors' });
    await killed.stop('SIGKILL');
    const mem = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
    const client = new HttpClient(mem.url);
    for (let n = 0; n < 20; n++) await write(client, n, `another text about trains ${n}`);
    const erased = await client.post('/api/v1/erase', { entity_path: 'burst/3' });
    expect(erased.status).toBe(200);
    await until(async () => (await count(WITHOUT_VECTOR)) === 0, { what: 'the index to catch up' });
    expect(await count(OUTDATED)).toBe(0);
    expect(await vectors()).toBe(await count('SELECT count(*) AS n FROM entries WHERE deleted = 0'));
    const { json } = await client.post('/api/v1/retrieve', { query: 'railway', limit: 3 });
    expect(json.index.behind).toBe(0);
    expect(json.entries[0].value).toContain('trains');
    await mem.stop();
  });
});
