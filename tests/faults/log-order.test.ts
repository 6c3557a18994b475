import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { backends, readyPlace } from '../support/app.ts';
import { HttpClient } from './support/client.ts';
import { startMem } from './support/mem-process.ts';
import { expectWhole, folderStore, postgresStore, readContents, type StoreAccess } from './support/store.ts';

const CLIENTS = 8;
const WRITES = 80;

type LoggedEvent = { seq: number };

/** Reads the log from the beginning, by turns from each server, until it has seen `total` events. */
async function follow(clients: readonly HttpClient[], total: number): Promise<number[]> {
  const seen: number[] = [];
  const deadline = performance.now() + 60_000;
  for (let poll = 0; seen.length < total; poll++) {
    if (performance.now() > deadline) throw new Error(`saw ${seen.length} of ${total} events`);
    const after = seen.at(-1) ?? 0;
    const client = clients[poll % clients.length] as HttpClient;
    const { json } = await client.get(`/api/v1/log?after=${after}&limit=${1 + (poll % 50)}`);
    const page = (json.events as LoggedEvent[]).map(({ seq }) => seq);
    // A reader always sees a prefix of the log: an event is never visible before its predecessor.
    expect(page).toEqual(page.map((_, i) => after + 1 + i));
    expect(json.last_seq).toBe(after + page.length);
    seen.push(...page);
    if (page.length === 0) await sleep(1);
  }
  return seen;
}

async function writeMany(client: HttpClient, name: string): Promise<void> {
  for (let turn = 0; turn < WRITES; turn++) {
    const path = turn % 3 === 0 ? 'log/shared' : `log/${name}`;
    const { status, text } = await client.write(path, `k${turn % 10}`, { name, turn });
    if (status !== 201) throw new Error(`${status}: ${text}`);
  }
}

async function newStore(backend: 'sqlite' | 'postgres'): Promise<{ store: StoreAccess; remove(): Promise<void> }> {
  if (backend === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'mem-log-'));
    return { store: folderStore(folder), remove: async () => rmSync(folder, { recursive: true, force: true }) };
  }
  const { options, remove } = await readyPlace(backend);
  return { store: postgresStore(options.postgresDsn as string, options.dataDir), remove };
}

it.each(backends)('a follower sees every event once, in order and without a gap, on %s', async (backend) => {
  const { store, remove } = await newStore(backend);
  try {
    const servers = [await startMem(store.env), await startMem(store.env)];
    const clients = servers.map(({ url }) => new HttpClient(url));
    const follower = follow(clients, CLIENTS * WRITES);
    const writers = Array.from({ length: CLIENTS }, (_, i) => writeMany(clients[i % 2] as HttpClient, `w${i}`));
    await Promise.all([...writers, follower]);
    expect(await follower).toEqual(Array.from({ length: CLIENTS * WRITES }, (_, i) => i + 1));
    const [client] = clients as [HttpClient];
    await expectWhole(store, client, await readContents(client));
    for (const server of servers) expect(await server.stop()).toEqual({ code: 0, signal: null });
  } finally {
    await remove();
  }
});
