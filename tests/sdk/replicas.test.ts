import { createClient } from '@mem-service/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hangUp, json, neverAnswer, type StandIn, type StandInAnswer, standIn } from './stand-in.ts';

const wrote = (seq: number) => json(201, {}, { 'x-mem-seq': String(seq) });
const problem = (status: number, code: string): StandInAnswer =>
  json(status, { type: 't', title: 't', status, detail: 'd', code });
const entry = { entityPath: 'a', key: 'k' };

describe('a client of several servers', () => {
  const opened: StandIn[] = [];
  const start = async (...answers: [StandInAnswer, ...StandInAnswer[]]) => {
    const server = await standIn(...answers);
    opened.push(server);
    return server;
  };
  afterEach(async () => {
    vi.useRealTimers();
    for (const server of opened.splice(0)) await server.close();
  });
  const asked = ({ seen }: StandIn) => seen.map(({ headers }) => headers['x-mem-min-seq']);

  it('asks for what it has written, in its sessions too', async () => {
    const main = await start(json(200, {}), wrote(7), wrote(5), json(200, {}));
    const client = createClient({ url: main.url });
    const session = client.session();
    await client.entries.read(entry);
    await Promise.all([session.entries.write({ ...entry, value: 1 }), client.entries.write({ ...entry, value: 2 })]);
    await client.entries.read(entry);
    await session.entries.read(entry);
    // Of two writes at the same time the later one counts, however their answers arrive.
    expect(asked(main)).toEqual([undefined, undefined, undefined, '7', '7']);
  });

  it('forgets what a log that was set back does not have any more', async () => {
    const main = await start(wrote(700), wrote(12), json(200, {}));
    const client = createClient({ url: main.url });
    await client.entries.write({ ...entry, value: 1 });
    await client.entries.write({ ...entry, value: 2 });
    await client.entries.read(entry);
    expect(asked(main)).toEqual([undefined, undefined, '12']);
  });

  it('reads from those that only read, in turn, and writes to the main one', async () => {
    const main = await start(wrote(3));
    const readers = [await start(json(200, {})), await start(json(200, {}))];
    const client = createClient({ url: main.url, readUrls: readers.map(({ url }) => url) });
    await client.entries.write({ ...entry, value: 1 });
    for (let n = 0; n < 4; n++) await client.entries.read(entry);
    expect(readers.map(asked)).toEqual([
      ['3', '3'],
      ['3', '3'],
    ]);
    expect(main.seen).toHaveLength(1);
    // What a session has noted elsewhere, and what is audited, is not theirs to answer.
    await client.sessions.explain({ sessionId: 's' });
    await client.audit.list();
    expect(main.seen).toHaveLength(3);
  });

  it.each([
    ['is behind', problem(503, 'replica_behind')],
    ['is away', hangUp],
    ['does not know the key yet', problem(401, 'unauthenticated')],
  ])('asks the main one where a reader %s', async (_, trouble) => {
    const main = await start(json(200, { value: 1 }));
    const reader = await start(trouble);
    const client = createClient({ url: main.url, readUrls: [reader.url] });
    expect(await client.entries.read(entry)).toMatchObject({ value: 1 });
    await client.entries.read(entry);
    // For a moment the reader is not asked again.
    expect([main.seen.length, reader.seen.length]).toEqual([2, 1]);
  });

  it('shows no less than it has shown, whichever server answers', async () => {
    const at = (seq: number, status = 200): StandInAnswer =>
      json(status, { type: 't', title: 't', status, detail: 'd', code: 'not_found' }, { 'x-mem-seq': String(seq) });
    const main = await start(json(200, {}));
    const readers = [await start(at(9), at(10)), await start(at(9, 404), at(12))];
    const client = createClient({ url: main.url, readUrls: readers.map(({ url }) => url) });
    await client.entries.read(entry);
    await client.entries.read(entry).catch(() => {});
    await client.entries.read(entry);
    await client.entries.read(entry);
    expect(readers.map(asked)).toEqual([
      [undefined, '9'],
      ['9', '10'],
    ]);
    expect(readers[0]?.seen[0]?.headers['x-mem-want-seq']).toBe('true');
    expect(main.seen).toHaveLength(0);
  });

  it('asks a reader that does not answer less and less often, and does not wait long for it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const main = await start(json(200, {}));
    const reader = await start(neverAnswer);
    const client = createClient({ url: main.url, readUrls: [reader.url], readerTimeoutMs: 30 });
    const tried = [];
    for (const ms of [0, 1_001, 1_001, 3_000, 4_000, 12_001, 61_000]) {
      vi.advanceTimersByTime(ms);
      // One of those that are sent together tries it.
      await Promise.all([client.entries.read(entry), client.entries.read(entry)]);
      tried.push(reader.seen.length);
    }
    expect(tried).toEqual([2, 3, 3, 4, 4, 5, 6]);
    expect(main.seen).toHaveLength(14);
  });

  it('does not blame a reader for a call that was given up', async () => {
    const main = await start(json(200, {}));
    const reader = await start(neverAnswer, json(200, {}));
    const client = createClient({ url: main.url, readUrls: [reader.url] });
    const given = client.entries.read(entry, { signal: AbortSignal.timeout(30) });
    await expect(given).rejects.toThrow();
    await client.entries.read(entry);
    expect([reader.seen.length, main.seen.length]).toEqual([2, 0]);
  });

  it('takes the answer of a reader that there is no such entry', async () => {
    const main = await start(json(200, {}));
    const reader = await start(problem(404, 'not_found'));
    const client = createClient({ url: main.url, readUrls: [reader.url] });
    await expect(client.entries.read(entry)).rejects.toMatchObject({ code: 'not_found' });
    expect(main.seen).toHaveLength(0);
  });
});
