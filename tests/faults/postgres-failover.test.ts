import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, isMemError } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStream, range } from '../stream/support.ts';
import { outputOf } from '../support/output.ts';
import { type PostgresPair, startPair } from '../support/postgres-pair.ts';
import { HttpClient } from './support/client.ts';
import { memProgram, startMem, until } from './support/mem-process.ts';

/** How often the primary is killed under load. */
const KILLS = Number(process.env.FAILOVER_KILLS ?? 1);
const WRITERS = 8;
/** Beyond the promotion itself. */
const MAX_AWAY_MS = 2_000;

describe('a failover of PostgreSQL', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await startPair();
  });
  afterAll(() => pair.close());
  const env = () => ({ MEM_POSTGRES_DSN: pair.dsn, MEM_DATA_DIR: tmpdir(), MEM_POSTGRES_POOL: '6' });

  it('that loses writes ends streams and cursors with log_rewound, and all go on with what is there', async () => {
    const mem = await startMem(env());
    const client = new HttpClient(mem.url);
    const writeAll = async (name: string, count: number) => {
      for (const i of range(1, count)) await written(client, `${name}-${i}`);
    };
    await writeAll('kept', 10);
    await pair.caughtUp();
    await pair.cutOff();
    const stream = await openStream(mem.url, { after: 0 });
    const watching = await watch(mem.url);
    const sdk = createClient({ url: mem.url });
    const followed = collect(sdk, 0);
    await writeAll('lost', 5);
    await stream.has(15);
    await until(() => watching.out().includes('lost-5') && followed.keys.length === 15, {
      what: 'all to have 15 events',
    });
    const page = await client.get('/api/v1/entries?sort=recent&limit=2');
    const log = await client.get('/api/v1/log?limit=1000');

    await pair.failOver();
    await writeAll('new', 12);
    await stream.over;
    expect(stream.events.at(-1)).toMatchObject({
      event: 'log_rewound',
      data: { status: 409, code: 'log_rewound', last_seq: expect.any(Number), position: expect.any(String) },
    });
    const refused = { status: 409, json: { code: 'log_rewound', last_seq: 22 } };
    expect(await client.get(`/api/v1/entries?sort=recent&limit=2&cursor=${page.json.next_cursor}`)).toMatchObject(
      refused,
    );
    expect(await client.get(`/api/v1/log?after=${log.json.last_position}`)).toMatchObject(refused);
    expect((await openStream(mem.url, { lastId: stream.lastId() })).status).toBe(409);

    const error = await followed.failed;
    if (!isMemError(error, 'log_rewound')) throw error;
    const again = collect(sdk, error.details.position);
    await writeAll('last', 1);
    await until(() => again.keys.at(-1) === 'last-1', { what: 'the client to go on' });
    await until(() => watching.out().includes('last-1'), { what: 'mem watch to go on' });
    expect(watching.err()).toMatch(/the log was set back.*watching on from there/);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });

  it('to a synchronous standby loses nothing that was acknowledged, and every retried write is there once', async () => {
    const mem = await startMem(env());
    const client = new HttpClient(mem.url);
    const load = startWriters(client);
    const away: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      await pair.addStandby();
      await pair.synchronise();
      const before = load.acknowledged();
      await until(() => load.acknowledged() > before + 50, { what: 'writes' });
      const began = performance.now();
      const promotionMs = await pair.failOver();
      await until(() => load.lastAt() > began + promotionMs, { what: 'the first write after the promotion' });
      away.push(load.longestGap(began) - promotionMs);
    }
    const counts = await load.stop();
    for (const [key, count] of counts) {
      const { json } = await client.get(`/api/v1/entries/writers/${key}`);
      expect(json, key).toMatchObject({ version: count, value: count });
    }
    if (KILLS > 1)
      console.log({ acknowledged: load.acknowledged(), retried: load.retried(), away: away.map(Math.round) });
    expect(Math.max(...away)).toBeLessThan(MAX_AWAY_MS);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });
});

/** Writes until it is acknowledged, always as the same request. */
async function written(client: HttpClient, key: string): Promise<void> {
  await retried(() => writeOnce(client, { key, value: key, name: randomUUID() }));
}

type OneWrite = { key: string; value: unknown; name: string };

async function writeOnce(client: HttpClient, { key, value, name }: OneWrite): Promise<boolean> {
  const body = { entity_path: 'writers', key, value };
  const headers = { 'idempotency-key': name };
  try {
    const { status, text } = await client.call('POST', '/api/v1/entries', { body, headers });
    if (status >= 300 && status !== 503) throw new Error(text);
    return status < 300;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}

async function retried(attempt: () => Promise<boolean>, onRetry = () => {}): Promise<void> {
  while (!(await attempt())) {
    onRetry();
    await sleep(25);
  }
}

/** Each writes its own entry, over and over: the version of the entry is the number of its writes. */
function startWriters(client: HttpClient) {
  const counts = new Map<string, number>();
  const times: number[] = [];
  let isOver = false;
  let retries = 0;
  const write = async (key: string) => {
    for (let value = 1; !isOver; value++) {
      const name = randomUUID();
      await retried(
        () => writeOnce(client, { key, value, name }),
        () => retries++,
      );
      counts.set(key, value);
      times.push(performance.now());
    }
  };
  const running = range(1, WRITERS).map((n) => write(`w${n}`));
  return {
    acknowledged: () => times.length,
    retried: () => retries,
    lastAt: () => times.at(-1) ?? 0,
    /** The longest time without an acknowledged write that ended after a moment. */
    longestGap: (after: number) =>
      Math.max(...times.slice(1).map((at, i) => (at < after ? 0 : at - Math.max(times[i] as number, after)))),
    async stop() {
      isOver = true;
      await Promise.all(running);
      return counts;
    },
  };
}

/** The keys of what a client is given, and what its stream fails with. */
function collect(sdk: ReturnType<typeof createClient>, after: number | string) {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const keys: (string | null)[] = [];
  const failed = (async () => {
    for await (const { key } of sdk.stream({ after, signal: over.signal })) keys.push(key);
    return undefined;
  })().catch((error: unknown) => error);
  return { keys, failed };
}

/** `mem watch` at a server. */
async function watch(url: string) {
  const { PATH, HOME } = process.env;
  const args = [await memProgram(), 'watch', '--after', '0'];
  const child = spawn(process.execPath, args, { env: { PATH, HOME, MEM_HTTP_URL: url } });
  const printed = outputOf(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { out: () => printed.out, err: () => printed.err };
}
