import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, JsonText } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { type Module, writes, writesTogether } from '../../packages/server/src/kernel/index.ts';
import { entries } from '../../packages/server/src/modules/entries/index.ts';
import { backends } from '../support/app.ts';
import { HttpClient, metricsOf } from './support/client.ts';
import { startMem } from './support/mem-process.ts';
import { call, listenTo, openKernel } from './support/open-kernel.ts';
import { hasStrace } from './support/strace.ts';

const write = entries.handlers['entries.write'];

/** Fails like a bug: after it has changed rows. */
const broken: Module = {
  name: 'broken',
  migrations: [],
  handlers: {
    'entries.write': writesTogether<'entries.write'>(async (work, items) => {
      if (write?.kind !== 'set') throw new Error('entries.write takes sets');
      const results = await write.run(work, items);
      if (items.some(({ input }) => input.key === 'poison')) throw new TypeError('a bug in a set');
      return results;
    }),
    'entries.restore': writes<'entries.restore'>(async (work, { input, ...item }) => {
      if (write?.kind !== 'set') throw new Error('entries.write takes sets');
      await write.run(work, [{ ...item, input: { ...input, key: 'half-done', value: JsonText.of(1) } as never }]);
      throw new TypeError('a bug in one write');
    }),
  },
};

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe.each(backends)('group commit on %s', (backend) => {
  it('writes that arrive together share a transaction', async () => {
    const { kernel } = await openKernel(backend);
    const client = new HttpClient(await listenTo(kernel));
    await Promise.all(numbers(32).map((i) => client.write('warm', `k${i}`, i)));
    const before = await metricsOf(client);
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(numbers(32).map((i) => client.write('together', `k${i}`, { round })));
      expect(replies.map(({ status }) => status)).toEqual(numbers(32).map(() => 201));
    }
    const after = await metricsOf(client);
    const count = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect(count('mem_commit_writes_total')).toBe(160);
    expect(count('mem_commit_batches_total')).toBeLessThan(80);
  });

  it('new connections are accepted while writes are queued', async () => {
    const { kernel } = await openKernel(backend);
    const url = await listenTo(kernel);
    const before = await metricsOf(new HttpClient(url));
    // Each on a connection of its own: the event loop accepts one per turn.
    const replies = await Promise.all(numbers(48).map((i) => new HttpClient(url).write('new', `k${i}`, i)));
    expect(replies.map(({ status }) => status)).toEqual(numbers(48).map(() => 201));
    const after = await metricsOf(new HttpClient(url));
    const count = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect(count('mem_commit_writes_total')).toBe(48);
    expect(count('mem_commit_batches_total')).toBeLessThan(16);
  });

  it('writes that arrive one per turn of the event loop share a transaction and keep their order', async () => {
    const { kernel } = await openKernel(backend);
    const client = new HttpClient(await listenTo(kernel));
    const before = await metricsOf(client);
    const written = await new Promise<{ seq: number }[]>((resolve) => {
      const calls: Promise<{ seq: number }>[] = [];
      const arrive = () => {
        if (calls.length === 20) return resolve(Promise.all(calls));
        setImmediate(arrive);
        calls.push(call(kernel, 'entries.write', { entity_path: 'turns', key: `k${calls.length}`, value: 1 }));
      };
      arrive();
    });
    expect(written.map(({ seq }) => seq)).toEqual(numbers(20).map((i) => i + 1));
    const batches = (await metricsOf(client)).mem_commit_batches_total ?? 0;
    expect(batches - (before.mem_commit_batches_total ?? 0)).toBeLessThan(8);
  });

  it('a failed write does not affect the others, whether it was refused or has a bug', async () => {
    const { kernel } = await openKernel(backend, { extra: [broken] });
    const at = (key: string) => ({ entity_path: 'alone', key });
    await call(kernel, 'entries.write', { ...at('there'), value: 0 });
    const good = numbers(20).map((i) => call(kernel, 'entries.write', { ...at(`good-${i}`), value: i }));
    const stale = numbers(3).map(() => call(kernel, 'entries.write', { ...at('there'), value: 1, if_version: 7 }));
    const bugs = [
      call(kernel, 'entries.write', { ...at('poison'), value: 1 }),
      call(kernel, 'entries.restore', { ...at('there'), version: 1 }),
    ];
    const more = numbers(5).map((i) => call(kernel, 'entries.write', { ...at(`more-${i}`), value: i }));
    const deleted = call(kernel, 'entries.delete', at('there'));

    for (const result of await Promise.allSettled(stale))
      expect((result as PromiseRejectedResult).reason as Fault).toMatchObject({ code: 'version_conflict' });
    for (const result of await Promise.allSettled(bugs))
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
    expect((await Promise.all([...good, ...more])).every(({ version }) => version === 1)).toBe(true);
    expect(await deleted).toMatchObject({ version: 2, deleted: true });

    const { events } = await call(kernel, 'log.list', {});
    const first = events.filter(({ version }) => version === 1).map(({ key }) => key);
    const expected = [...numbers(20).map((i) => `good-${i}`), ...numbers(5).map((i) => `more-${i}`), 'there'];
    expect(first.sort()).toEqual(expected.sort());
    expect(events.map(({ seq }) => seq)).toEqual(numbers(27).map((i) => i + 1));
    expect(await call(kernel, 'entries.verify', {})).toMatchObject({ valid: 27, chain_breaks: [] });
  });

  it('a listener that throws does not undo or repeat a write', async () => {
    const { kernel, database } = await openKernel(backend);
    const warned = new Promise((resolve) => process.once('warning', resolve));
    kernel.feed.subscribeAll(() => {
      throw new Error('a bug in a listener');
    });
    const written = await Promise.all(
      numbers(3).map((i) => call(kernel, 'entries.write', { entity_path: 'l', key: `k${i}`, value: i })),
    );
    expect(written.map(({ version }) => version)).toEqual([1, 1, 1]);
    expect(await database.read.get(sql`SELECT count(*) AS n FROM events`)).toEqual({ n: 3 });
    expect(await warned).toMatchObject({ message: 'a bug in a listener' });
  });
});

describe('group commit', () => {
  it('a write that arrives alone is committed after one turn', async () => {
    const { kernel } = await openKernel('sqlite');
    await call(kernel, 'entries.write', { entity_path: 'alone', key: 'warm', value: 0 });
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await call(kernel, 'entries.write', { entity_path: 'alone', key: 'one', value: 1 });
    clearImmediate(timer);
    expect(turns).toBeLessThanOrEqual(2);
  });
});

describe('an answer on SQLite is on the disk', () => {
  it('the connection that writes flushes at every commit', async () => {
    const { database } = await openKernel('sqlite');
    const row = await database.transaction((tx) => tx.get(sql`PRAGMA synchronous`));
    expect(row).toEqual({ synchronous: 2 });
    expect(await database.transaction((tx) => tx.get(sql`PRAGMA journal_mode`))).toEqual({ journal_mode: 'wal' });
  });

  it.skipIf(!hasStrace('flushes are not counted'))(
    'every batch is flushed before its answers, and the flushes are fewer than the writes',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mem-flush-'));
      const trace = join(folder, 'trace');
      try {
        const under = ['strace', '-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', trace];
        const mem = await startMem({ MEM_DATA_DIR: join(folder, 'data') }, { under });
        const client = new HttpClient(mem.url);
        const flushes = () =>
          readFileSync(trace, 'utf8')
            .split('\n')
            .filter((line) => /f(data)?sync\(/.test(line)).length;
        await Promise.all(numbers(32).map((i) => client.write('warm', `k${i}`, i)));
        const before = { ...(await metricsOf(client)), flushes: flushes() };
        const single = flushes();
        await client.write('flush', 'alone', 1);
        expect(flushes()).toBeGreaterThan(single);
        for (let round = 0; round < 5; round++)
          await Promise.all(numbers(32).map((i) => client.write('flush', `k${i}`, { round })));
        const after = { ...(await metricsOf(client)), flushes: flushes() } as Record<string, number>;
        const count = (name: string) => (after[name] ?? 0) - ((before as Record<string, number>)[name] ?? 0);
        // Beside them, a slow run notes who was active.
        expect([161, 162, 163]).toContain(count('mem_commit_writes_total'));
        expect(count('flushes')).toBeGreaterThanOrEqual(count('mem_commit_batches_total'));
        expect(count('flushes')).toBeLessThan(161);
        expect(await mem.stop()).toEqual({ code: 0, signal: null });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
