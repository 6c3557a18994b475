import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { HttpClient } from './support/client.ts';
import { type MemProcess, startMem, until } from './support/mem-process.ts';
import { folderStore, postgresStore } from './support/store.ts';

const DELIVERIES = 1000;
const KILLS = 3;
const SENDERS = 16;
const SECRET = 'the secret of the sender';

const issue = (number: number) => ({
  action: 'opened',
  issue: {
    ...{ number, title: `Issue ${number}`, state: 'open', labels: [], user: { login: 'octocat' } },
    ...{ html_url: `https://github.com/acme/shop/issues/${number}` },
    ...{ created_at: '2026-01-31T12:00:00Z', updated_at: '2026-01-31T12:00:00Z' },
  },
  repository: { name: 'shop', full_name: 'acme/shop', owner: { login: 'acme' } },
  sender: { login: 'octocat' },
});

/** Sends a delivery until it is accepted, as senders do; each eleventh comes again although it was. */
class SteadySender {
  client: HttpClient | undefined;
  next = 0;
  acknowledged = 0;
  broken = 0;
  readonly wrong: string[] = [];

  async run(): Promise<void> {
    for (let number = ++this.next; number <= DELIVERIES; number = ++this.next) {
      await this.#deliver(number);
      if (number % 11 === 0) await this.#deliver(number);
      this.acknowledged++;
    }
  }

  async #deliver(number: number): Promise<void> {
    const body = issue(number);
    const signature = createHmac('sha256', SECRET).update(JSON.stringify(body)).digest('hex');
    const headers = {
      ...{ 'x-github-event': 'issues', 'x-github-delivery': `delivery-${number}` },
      ...{ 'x-hub-signature-256': `sha256=${signature}` },
    };
    for (;;) {
      try {
        const sent = await this.client?.call('POST', '/api/v1/webhooks/github', { body, headers });
        if (sent?.status === 202 || sent?.status === 200) return;
        if (sent !== undefined && sent.status < 500) this.wrong.push(`${sent.status}: ${sent.text}`);
      } catch {
        this.broken++;
      }
      if (this.wrong.length > 0) return;
      await sleep(5);
    }
  }
}

describe('signed deliveries, while the server is killed again and again', () => {
  let postgres: PostgresServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-deliveries-'));
    postgres = await startPostgres({ fsync: true });
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(backends)('are each there once, on %s', async (backend) => {
    const store = backend === 'sqlite' ? folderStore(join(folder, 'killed')) : postgresStore(postgres.dsn, folder);
    const env = { ...store.env, MEM_CONNECTOR_GITHUB_SECRET: SECRET };
    const sender = new SteadySender();
    const start = async (): Promise<MemProcess> => {
      const mem = await startMem(env);
      sender.client = new HttpClient(mem.url);
      return mem;
    };
    let mem = await start();
    const sending = Promise.all(Array.from({ length: SENDERS }, () => sender.run()));
    for (let kill = 1; kill <= KILLS; kill++) {
      const enough = (DELIVERIES * kill) / (KILLS + 1);
      await until(() => sender.acknowledged >= enough || sender.wrong.length > 0, { what: 'deliveries' });
      expect(await mem.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      mem = await start();
    }
    await sending;
    expect(sender.wrong).toEqual([]);
    expect(sender.acknowledged).toBe(DELIVERIES);
    expect(sender.broken).toBeGreaterThan(0);
    const { json: list } = await new HttpClient(mem.url).get('/api/v1/entries?entity_path=repos/acme/shop&limit=1000');
    expect(list.entries).toHaveLength(DELIVERIES);
    expect(list.entries.filter(({ version }: { version: number }) => version !== 1)).toEqual([]);
    const events = await store.rows<{ n: number }>(
      "SELECT count(*) AS n FROM events WHERE event_type = 'webhook_ingested'",
    );
    expect(Number(events[0]?.n)).toBe(DELIVERIES);
    const deliveries = await store.rows<{ n: number }>('SELECT count(*) AS n FROM deliveries');
    expect(Number(deliveries[0]?.n)).toBe(DELIVERIES);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });
});
