import type { ServerResponse } from 'node:http';
import { type Client, createClient, isMemError, type MemError, type StreamOptions } from '@mem-service/sdk';
import { afterEach, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { backends, listen, openTestApp } from '../support/app.ts';
import { hangUp, json, neverAnswer, type StandIn, type StandInAnswer, standIn } from './stand-in.ts';

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const opening = (id: number) => `: connected\nretry: 1000\nid: ${id}\n\n`;
const frame = (seq: number) =>
  `event: memory_write\nid: ${seq}\ndata: {"seq":${seq},"event_type":"write","key":"k"}\n\n`;
const unavailable = json(503, { code: 'unavailable', status: 503, detail: 'later', title: '', type: '' });

/** Sends the text and does what then is to be done with the connection. */
const stream =
  (text: string, then: (response: ServerResponse) => void = () => {}): StandInAnswer =>
  (response) => {
    response.writeHead(200, SSE).write(text, () => then(response));
  };
const end = (response: ServerResponse) => void response.end();
const breakOff = (response: ServerResponse) => void setTimeout(() => response.socket?.destroy(), 20);

async function take(client: Client, count: number, input: Parameters<Client['stream']>[0] = {}): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of client.stream(input)) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

describe('the stream of a client', () => {
  let server: StandIn;
  const start = async (...answers: [StandInAnswer, ...StandInAnswer[]]) => {
    server = await standIn(...answers);
    return createClient({ url: server.url, apiKey: 'a-secret-key', agentId: 'агент' });
  };
  const lastIds = () => server.seen.map(({ headers }) => headers['last-event-id']);
  afterEach(() => server.close());

  it('takes an event for one, also where a refusal is called like it', async () => {
    const data = '{"seq":5,"event_type":"entry_quarantined","key":"k"}';
    const client = await start(stream(`${opening(4)}event: entry_quarantined\nid: 5\ndata: ${data}\n\n`));
    expect(await take(client, 1)).toEqual([5]);
  });

  it('goes on where it was after a stream that ended, broke, or was refused for a while', async () => {
    const client = await start(
      stream(opening(4) + frame(5), end),
      hangUp,
      unavailable,
      json(500, {}),
      stream(`${opening(5)}${frame(6)}id: 7\nevent: memory_write\ndata: {"se`, breakOff),
      stream(opening(6) + frame(7) + frame(8)),
    );
    expect(await take(client, 4, { after: 4 })).toEqual([5, 6, 7, 8]);
    expect(lastIds()).toEqual([undefined, '5', '5', '5', '5', '6']);
    for (const { url, headers } of server.seen) {
      expect(url).toBe('/api/v1/stream?after=4');
      expect(headers).toMatchObject({ accept: 'text/event-stream', 'x-mem-api-key': 'a-secret-key' });
    }
  });

  it('has no gap before its first event either', async () => {
    const client = await start(stream(opening(41), breakOff), stream(opening(41) + frame(42)));
    expect(await take(client, 1)).toEqual([42]);
    expect(lastIds()).toEqual([undefined, '41']);
  });

  it('says what it wants in the names of the wire', async () => {
    const client = await start(stream(opening(0) + frame(1)));
    await take(client, 1, { entityPath: 'a/**', types: ['write', 'outcome'], agentId: 'agent/x', after: 0 });
    expect(server.seen[0]?.url).toBe(
      '/api/v1/stream?entity_path=a%2F**&types=write%2Coutcome&agent_id=agent%2Fx&after=0',
    );
  });

  it.each([
    [401, 'unauthenticated'],
    [404, 'branch_not_found'],
    [422, 'invalid_input'],
  ])('stops when it is refused with %i, also when it comes back', async (status, code) => {
    const problem = json(status, { code, status, detail: 'no', title: '', type: '' });
    const client = await start(problem, stream(opening(0) + frame(1), end), problem);
    await expect(take(client, 1)).rejects.toMatchObject({ name: 'MemError', code, status });
    await expect(take(client, 2)).rejects.toMatchObject({ name: 'MemError', code, status });
    expect(server.seen).toHaveLength(3);
  });

  it('fails as any call does when it cannot be connected at all', async () => {
    await start(unavailable);
    const client = createClient({ url: server.url, retries: 1 });
    await expect(take(client, 1)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    expect(server.seen).toHaveLength(2);
    await server.close();
    await expect(take(client, 1)).rejects.toMatchObject({ code: 'unavailable', status: 0 });
  });

  it('says so when something else answers at the address', async () => {
    const client = await start((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    await expect(take(client, 1)).rejects.toThrow('did not answer with events');
  });

  it('reconnects when nothing arrives, not even a heartbeat', async () => {
    await start(neverAnswer, stream(opening(3)), stream(opening(3) + frame(4)));
    const client = createClient({ url: server.url, timeoutMs: 50 });
    const seqs: number[] = [];
    for await (const { seq } of client.log.stream({}, { idleMs: 50 })) {
      seqs.push(seq);
      break;
    }
    expect(seqs).toEqual([4]);
    expect(lastIds()).toEqual([undefined, undefined, '3']);
  });

  it('takes its signal with the options, as every other method', async () => {
    await start(stream(opening(0) + frame(1)));
    const client = createClient({ url: server.url });
    const controller = new AbortController();
    const seqs: number[] = [];
    for await (const { seq } of client.stream({ after: 0 }, { signal: controller.signal, idleMs: 10_000 })) {
      seqs.push(seq);
      controller.abort();
    }
    expect(seqs).toEqual([1]);
    expect(server.seen[0]?.url).toBe('/api/v1/stream?after=0');
    expectTypeOf(client.stream).parameter(1).toEqualTypeOf<StreamOptions | undefined>();
  });

  it('ends by its signal, while it waits for events and while it waits to reconnect', async () => {
    const client = await start(stream(opening(0) + frame(1)), unavailable);
    for (const retries of [0, 1_000]) {
      const controller = new AbortController();
      const seqs: number[] = [];
      const following = (async () => {
        const waiting = createClient({ url: server.url, retries });
        for await (const { seq } of waiting.stream({ signal: controller.signal })) seqs.push(seq);
      })();
      setTimeout(() => controller.abort(), 100);
      await following;
      expect(seqs).toEqual(retries === 0 ? [1] : []);
    }
    expect(await take(client, 1, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it('hangs up when the loop is left', async () => {
    let hungUp = false;
    const client = await start(
      stream(opening(0) + frame(1), (response) =>
        response.on('close', () => {
          hungUp = true;
        }),
      ),
    );
    await take(client, 1);
    await expect.poll(() => hungUp).toBe(true);
  });
});

describe.each(backends)('a client that follows a service on %s', (backend) => {
  it('is given typed events in camelCase, those of the past and those of now, over a restart', async () => {
    const app = await openTestApp(backend);
    const first = await listen(app, { apiKeys: ['a-secret-key'] });
    const port = Number(new URL(first.url).port);
    const client = createClient({ url: first.url, apiKey: 'a-secret-key', agentId: 'agent/sdk' });
    onTestFinished(() => app.close());
    await client.entries.write({ entityPath: 'svc/a', key: 'one', value: 1 });
    const keys: (string | null)[] = [];
    const [commit] = await Promise.all([
      (async () => {
        for await (const event of client.stream({ after: 0 })) {
          expectTypeOf(event.entityPath).toEqualTypeOf<string | null>();
          expectTypeOf(event.eventType).toEqualTypeOf<string>();
          expectTypeOf(event.outcomeRef).toEqualTypeOf<string | null | undefined>();
          keys.push(event.key);
          if (event.eventType === 'commit') return event;
        }
        return undefined;
      })(),
      (async () => {
        await client.entries.write({ entityPath: 'svc/a', key: 'two', value: 1 });
        await expect.poll(() => keys).toEqual(['one', 'two']);
        await first.close();
        await app.call('entries.write', { entity_path: 'svc/a', key: 'three', value: 1 });
        const second = await listen(app, { apiKeys: ['a-secret-key'] }, port);
        onTestFinished(() => second.close());
        await client.commits.create({ message: 'm', writes: [{ entityPath: 'svc/a', key: 'four', value: 1 }] });
      })(),
    ]);
    expect(keys).toEqual(['one', 'two', 'three', 'four', null]);
    expect(commit).toMatchObject({
      seq: 5,
      eventType: 'commit',
      agentId: 'agent/sdk',
      entityPath: null,
      commitId: expect.any(String),
      entriesWritten: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('is refused with a typed error', async () => {
    const app = await openTestApp(backend);
    const server = await listen(app, { apiKeys: ['a-secret-key'] });
    onTestFinished(async () => {
      await server.close();
      await app.close();
    });
    const stranger = createClient({ url: server.url, apiKey: 'another-key' });
    await expect(take(stranger, 1)).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    const client = createClient({ url: server.url, apiKey: 'a-secret-key' });
    const refusal = await take(client, 1, { types: ['nonsense'] }).catch((error: MemError) => error);
    expect(refusal).toMatchObject({ code: 'invalid_input', problem: { errors: [{ path: 'types' }] } });
    await expect(take(client, 1, { branch: 'other' })).rejects.toMatchObject({ code: 'branch_not_found' });
  });
});

describe.each(backends)('a stream of a room on %s', (backend) => {
  it('ends with the event that ends access, and then with the reason', async () => {
    const app = await openTestApp(backend);
    const server = await listen(app);
    onTestFinished(async () => {
      await server.close();
      await app.close();
    });
    const owner = createClient({ url: server.url, agentId: 'agent/owner' });
    const { roomId } = await owner.rooms.create({ name: 'Plan', label: 'crew' });
    const types: string[] = [];
    const reading = (async () => {
      for await (const { eventType } of owner.rooms.stream({ roomId, after: 0 })) {
        types.push(eventType);
        if (eventType === 'room_message') await owner.rooms.close({ roomId });
      }
    })();
    await owner.rooms.discuss({ roomId, content: 'That is all.' });
    await expect(reading).rejects.toMatchObject({ code: 'room_not_found', status: 404 });
    expect(types).toEqual(['room_created', 'room_agent_joined', 'room_message', 'room_closed']);
  });
});

describe.each(backends)('a stream on %s of a store that was restored', (backend) => {
  it('ends with where the log ends, at first and when it comes back', async () => {
    const app = await openTestApp(backend);
    const server = await listen(app);
    onTestFinished(async () => {
      await server.close();
      await app.close();
    });
    for (const key of ['a', 'b']) await app.call('entries.write', { entity_path: 'p', key, value: 1 });
    const client = createClient({ url: server.url });
    const error = await take(client, 1, { after: 97 }).catch((thrown: unknown) => thrown);
    expect(isMemError(error, 'log_rewound') && error.details.lastSeq).toBe(2);
    expect((error as MemError).message).toContain('restored backup');
    expect(await take(client, 1, { after: 1 })).toEqual([2]);
  });
});
