import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient, type Reply } from '../faults/support/client.ts';
import { type MemProcess, startMem, until } from '../faults/support/mem-process.ts';
import { folderStore, postgresStore, type StoreAccess } from '../faults/support/store.ts';
import { backends, readyPlace } from '../support/app.ts';
import { INTERNAL_KEY } from '../support/hosted.ts';

const LIMIT = 20_000;
/** A hundredth of the limit, and as much as may be left of the one before when it is fetched. */
const LEASE = (LIMIT / 100) * 1.5;
const ROUNDS = 3;

type Spent = { written: number; read: number; broken: number; refused: string[] };

async function openStore(backend: (typeof backends)[number]): Promise<StoreAccess> {
  const place = await readyPlace(backend);
  onTestFinished(() => place.remove());
  const { dataDir, postgresDsn } = place.options;
  return postgresDsn === undefined ? folderStore(dataDir) : postgresStore(postgresDsn, dataDir);
}

const start = ({ env }: StoreAccess) =>
  startMem({
    ...env,
    MEM_MODE: 'hosted',
    MEM_INTERNAL_KEY: INTERNAL_KEY,
    MEM_RATE_LIMITS: 'off',
    MEM_PLANS: JSON.stringify({ crash: { ops_per_month: LIMIT } }),
  });

async function newAccount({ url }: MemProcess): Promise<{ account_id: string; key: string }> {
  const headers = { 'x-mem-internal-key': INTERNAL_KEY };
  const body = { name: 'Crash', plan: 'crash' };
  return (await new HttpClient(url).call('POST', '/api/v1/internal/accounts', { body, headers })).json;
}

/** Some read, some write, each one request at a time, until stopped. */
function startMixed({ url }: MemProcess, key: string, spent: Spent): () => Promise<void> {
  const client = new HttpClient(url);
  const headers = { 'x-mem-api-key': key };
  let isStopped = false;
  const turn = async (worker: number, i: number): Promise<void> => {
    const isWrite = (worker + i) % 3 === 0;
    const body = { entity_path: `w${worker}`, key: `k${i % 7}`, value: Math.random() };
    const answer: Reply = isWrite
      ? await client.call('POST', '/api/v1/entries', { body, headers })
      : await client.call('GET', `/api/v1/entries/w${worker}/k${i % 9}`, { headers });
    if (isWrite && answer.status === 201) spent.written++;
    else if (!isWrite && (answer.status === 200 || answer.status === 404)) spent.read++;
    else spent.refused.push(answer.text);
  };
  const loops = Array.from({ length: 8 }, async (_, worker) => {
    for (let i = 0; !isStopped; i++)
      await turn(worker, i).catch(async () => {
        spent.broken++;
        await sleep(20);
      });
  });
  return async () => {
    isStopped = true;
    await Promise.all(loops);
  };
}

async function sums(store: StoreAccess, accountId: string): Promise<{ counter: number; ledger: number }> {
  const total = async (text: string) => {
    const [row] = await store.rows<{ total: number | string | null }>(`${text} WHERE account_id = '${accountId}'`);
    return Number(row?.total ?? 0);
  };
  return {
    counter: await total('SELECT sum(ops_used) AS total FROM usage_counters'),
    ledger: await total('SELECT sum(ops) AS total FROM usage_ledger'),
  };
}

const remainingOf = async ({ url }: MemProcess, key: string): Promise<number> => {
  const { headers } = await new HttpClient(url).call('GET', '/api/v1/me', { headers: { 'x-mem-api-key': key } });
  return Number(headers['x-mem-ops-remaining']);
};

describe.each(backends)('usage of a server that is killed in the middle of work, again and again, on %s', (backend) => {
  it('is in the ledger as in the counter, with every write and at most a lease too much', async () => {
    const store = await openStore(backend);
    let mem = await start(store);
    const { account_id, key } = await newAccount(mem);
    const spent: Spent = { written: 0, read: 0, broken: 0, refused: [] };
    for (let round = 1; round <= ROUNDS; round++) {
      const stop = startMixed(mem, key, spent);
      const before = spent.written;
      await until(() => spent.written > before + 40, { what: 'writes to be acknowledged' });
      await sleep(Math.random() * 100);
      await mem.stop('SIGKILL');
      await stop();

      const { counter, ledger } = await sums(store, account_id);
      expect(ledger).toBe(counter);
      expect(counter).toBeGreaterThanOrEqual(spent.written * 2);
      expect(counter).toBeLessThanOrEqual((spent.written + spent.broken) * 2 + spent.read + LEASE * round);
      mem = await start(store);
      expect(await remainingOf(mem, key)).toBe(LIMIT - counter);
    }
    expect(spent.refused).toEqual([]);
    // A server that shuts down returns its leases.
    const stop = startMixed(mem, key, spent);
    await sleep(300);
    await stop();
    const remaining = await remainingOf(mem, key);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
    expect(await sums(store, account_id)).toEqual({ counter: LIMIT - remaining, ledger: LIMIT - remaining });
  });
});
