import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../faults/support/mem-process.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { openStream, range, type StreamListener } from './support.ts';

const OPTIONS = { heartbeatMs: 15_000, maxWaitingBytes: 256 * 1024, stallMs: 60_000 };

describe.each(backends)('readers of the stream on %s', (backend) => {
  let app: TestApp;
  let server: TestServer | undefined;
  const serve = async (options: Partial<typeof OPTIONS> = {}): Promise<string> => {
    server = await listen(app, { streams: { ...OPTIONS, ...options } });
    return server.url;
  };
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(async () => {
    await server?.close();
    await app.close();
  });

  let count = 0;
  const write = () => app.call('entries.write', draft());
  const draft = () => ({ entity_path: 'many', key: `k${count++}`, value: count });
  /** One event for each entry, and one for the commit. */
  const bulk = (events: number) => app.call('commits.create', { writes: range(2, events).map(draft) });
  /** Each of these takes six bytes in JSON. */
  const LONG = '\u0001'.repeat(4096);
  /** A thousand kilobytes and more in a hundred events. */
  const flood = () =>
    Promise.all(range(1, 50).map(() => app.call('commits.create', { message: LONG, writes: [draft()] })));

  it('who come at any time, while many write, see every event from there on once and in order', async () => {
    const url = await serve();
    let writing = true;
    const writers = range(1, 8).map(async (writer) => {
      for (let turn = 0; writing; turn++) {
        if ((turn + writer) % 6 === 0) await bulk(20);
        else await write();
        await sleep(writer * 2);
      }
    });
    const listeners: { from: number; listener: StreamListener }[] = [];
    for (let i = 0; i < 25; i++) {
      const { last_seq: written } = await app.call('stats.read', {});
      const after = i % 3 === 0 ? undefined : Math.floor(Math.random() * written);
      const listener = await openStream(url, after === undefined ? {} : { after });
      listeners.push({ from: Number.parseInt(listener.lastId(), 10) + 1, listener });
      await sleep(5);
    }
    writing = false;
    await Promise.all(writers);
    const { last_seq } = await app.call('stats.read', {});
    for (const { from, listener } of listeners) {
      await until(() => listener.seqs().at(-1) === last_seq, { what: 'the last event' });
      const seqs = listener.seqs();
      expect(seqs).toEqual(range(seqs[0] as number, last_seq));
      expect(seqs[0]).toBeLessThanOrEqual(from + listener.events.length);
    }
  });

  it('get a commit that is larger than anything is sent at once, whole and in order', async () => {
    const url = await serve();
    const listeners = await Promise.all(range(1, 5).map(() => openStream(url)));
    await Promise.all([bulk(1000), bulk(700), bulk(1000)]);
    const late = await openStream(url, { after: 0 });
    for (const listener of [...listeners, late]) {
      await listener.has(2700);
      expect(listener.seqs()).toEqual(range(1, 2700));
    }
  });

  it('who do not take what they are sent are cut off, and the others go on', async () => {
    const url = await serve();
    const [slow, quick] = await Promise.all([openStream(url), openStream(url)]);
    slow?.pause();
    const { last_seq: before } = await app.call('stats.read', {});
    let sent = 0;
    // What the system itself holds for a connection comes first.
    await until(
      async () => {
        await flood();
        sent += 100;
        return app.kernel.following === 1;
      },
      { what: 'the slow reader to be cut off' },
    );
    await quick?.has(sent);
    expect(quick?.seqs()).toEqual(range(before + 1, before + sent));
    expect(quick?.isOver()).toBe(false);
    slow?.resume();
    await slow?.over;
    expect(slow?.events.length).toBeLessThan(sent);
    // When it reconnects, it resumes where it was.
    const again = await openStream(url, { lastId: slow?.lastId() as string });
    await again.has(sent - (slow?.events.length ?? 0));
    expect([...(slow?.seqs() ?? []), ...again.seqs()]).toEqual(range(before + 1, before + sent));
  });

  it('who take nothing of what happened before are cut off after a while, others catch up at their pace', async () => {
    for (let i = 0; i < 10; i++) await flood();
    const url = await serve({ stallMs: 500 });
    const stuck = await openStream(url, { after: 0 });
    stuck.pause();
    const steady = await openStream(url, { after: 0 });
    let pauses = 0;
    const pausing = setInterval(() => {
      // On a busy machine they would take most of the time.
      if (++pauses > 25) return clearInterval(pausing);
      steady.pause();
      setTimeout(() => steady.resume(), 20);
    }, 40);
    await steady.has(1000).finally(() => clearInterval(pausing));
    expect(steady.seqs()).toEqual(range(1, 1000));
    await until(() => app.kernel.following === 1, { what: 'the stuck reader to be cut off' });
    expect(steady.isOver()).toBe(false);
  });

  it('hear a heartbeat while nothing happens, which moves on the place to go on from', async () => {
    const url = await serve({ heartbeatMs: 50 });
    const listener = await openStream(url, { query: 'entity_path=nothing/here' });
    await until(() => listener.comments.length >= 4, { what: 'heartbeats' });
    expect(listener.lastId()).toBe('0');
    await write();
    await write();
    await until(() => listener.lastId().startsWith('2-'), { what: 'the place to move on' });
    expect(listener.events).toEqual([]);
    expect(listener.raw()).toMatch(
      /^: connected\nretry: 1000\nid: 0\n\n(: still here\nid: ([012])(-[0-9a-z]+)?\n\n)+$/,
    );
  });

  it('are disconnected at once when a server stops, and do not delay it', async () => {
    const url = await serve();
    const [live, stuck] = await Promise.all([openStream(url), openStream(url)]);
    stuck?.pause();
    for (let i = 0; i < 4; i++) await flood();
    await live?.has(400);
    await server?.close();
    await live?.over;
    expect(app.kernel.following).toBe(0);
    await expect(openStream(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const again = await openStream(await serve(), { lastId: live?.lastId() as string });
    await write();
    await again.has(1);
    expect(again.seqs()).toEqual([401]);
  });

  it('who disconnect before they are answered are removed', async () => {
    const url = await serve();
    for (let i = 0; i < 40; i++) {
      const asking = request(`${url}/api/v1/stream?after=0`, { agent: false });
      const gone = new Promise((resolve) => asking.on('error', () => {}).on('close', resolve));
      asking.end();
      setTimeout(() => asking.destroy(), i % 8);
      await gone;
    }
    await until(() => app.kernel.following === 0, { what: 'nobody to be left' });
  });

  it('leave nothing behind', async () => {
    const url = await serve();
    for (let round = 0; round < 3; round++) {
      const listeners = await Promise.all(range(1, 20).map(() => openStream(url, { after: 0 })));
      await write();
      await Promise.all(listeners.map((listener) => listener.has(round + 1)));
      for (const listener of listeners) listener.close();
      await until(() => app.kernel.following === 0, { what: 'the readers to be forgotten' });
    }
  });
});
