import { describe, expect, it } from 'vitest';
import { backends, useServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

describe.each(backends)('Idempotency-Key on %s', (backend) => {
  const server = useServer(backend);

  const post = (path: string, input: object, headers: Record<string, string>) =>
    send(server.url, { method: 'POST', path, body: JSON.stringify(input), headers });
  const write = (input: object, key: string, headers = {}) =>
    post('/api/v1/entries', input, { 'idempotency-key': key, ...headers });
  const versionsOf = async (entity_path: string, key: string) =>
    (await server.app.call('entries.history', { entity_path, key })).version_count;

  it('makes a retry give the same answer, byte for byte, and write nothing', async () => {
    const input = { entity_path: 'retry', key: 'a', value: { n: 1.5 }, confidence: 0.7 };
    const first = await write(input, 'one');
    server.app.clock.advance(60_000);
    await post('/api/v1/entries', { ...input, value: 'meanwhile' }, {});
    const second = await write(input, 'one');
    expect(second.text).toBe(first.text);
    expect(second.status).toBe(201);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(await versionsOf('retry', 'a')).toBe(2);
  });

  it('makes requests that arrive together write once', async () => {
    const input = { entity_path: 'retry', key: 'together', value: 1 };
    const answers = await Promise.all(Array.from({ length: 20 }, () => write(input, 'together')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await versionsOf('retry', 'together')).toBe(1);
  });

  it('covers every kind of write', async () => {
    const at = { entity_path: 'retry', key: 'kinds' };
    await post('/api/v1/entries', { ...at, value: 1 }, {});
    await post('/api/v1/entries', { ...at, value: 2 }, {});
    const headers = (key: string) => ({ 'idempotency-key': key });
    const attempts = [
      () => post('/api/v1/restore', { ...at, version: 1 }, headers('restore')),
      () => send(server.url, { method: 'DELETE', path: '/api/v1/entries/retry/kinds', headers: headers('delete') }),
      () => post('/api/v1/commits', { writes: [{ ...at, value: 3 }] }, headers('commit')),
    ];
    for (const attempt of attempts) {
      const [first, second] = [await attempt(), await attempt()];
      expect(first.status).toBeLessThan(300);
      expect(second.text).toBe(first.text);
    }
    expect(await versionsOf('retry', 'kinds')).toBe(5);
  });

  it('refuses another request under the same key', async () => {
    const input = { entity_path: 'retry', key: 'other', value: 1 };
    await write(input, 'two');
    const others = [
      () => write({ ...input, value: 2 }, 'two'),
      () => write({ ...input, confidence: 0.5 }, 'two'),
      () => write(input, 'two', { 'x-mem-agent-id': 'agent/else' }),
      () => post('/api/v1/erase', { entity_path: 'retry' }, { 'idempotency-key': 'two' }),
    ];
    for (const other of others) {
      const { status, json } = await other();
      expect({ status, code: json.code }).toEqual({ status: 422, code: 'idempotency_mismatch' });
    }
    expect(await versionsOf('retry', 'other')).toBe(1);
  });

  it('does not keep a refusal: what was refused may be tried again', async () => {
    const input = { entity_path: 'retry', key: 'refused', value: 1, if_version: 3 };
    expect((await write(input, 'three')).status).toBe(409);
    const { if_version: _, ...fitting } = input;
    expect((await write(fitting, 'three')).status).toBe(201);
  });

  it('is deleted after a day', async () => {
    const input = { entity_path: 'retry', key: 'day', value: 1 };
    await write(input, 'four');
    server.app.clock.advance(24 * 60 * 60 * 1000 + 1);
    const other = await write({ ...input, value: 2 }, 'four');
    expect({ status: other.status, version: other.json.version }).toEqual({ status: 201, version: 2 });
  });
});
