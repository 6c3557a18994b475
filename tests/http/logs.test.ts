import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../packages/server/src/logger.ts';
import { createExamples, type KnownIds, markedInput } from '../contract/table.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import { addresses, requestFor, send, sendRaw } from '../support/wire.ts';

const MARK = 'unspeakable';
const KEY = 'mem_sk_never-to-be-logged';

describe.each(backends)('the log of the process on %s', (backend) => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  let app: TestApp;
  let server: TestServer;
  let known: KnownIds;
  let broken = false;
  beforeAll(async () => {
    const log = createLogger('trace', stream);
    app = await openTestApp(backend, {
      onError: (err) => log.error({ err }, 'background work failed'),
      wrapDatabase: (database) =>
        watchDatabase(database, ({ text }) => {
          if (!broken) return;
          const failure = new Error('the engine is on fire');
          throw Object.assign(failure, {
            code: 'XX000',
            detail: `Failing row contains (${MARK})`,
            parameters: [MARK],
            text,
          });
        }),
    });
    server = await listen(app, { log, apiKeys: [KEY] });
    known = await createExamples(app, { mark: MARK, as: { agent_id: 'mem-http-server' } });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('says nothing of what is written, asked or presented, however it ends', async () => {
    for (const headers of [
      { 'x-mem-api-key': KEY },
      { authorization: `Bearer ${KEY}` },
      { 'x-mem-api-key': `${KEY}-wrong` },
    ])
      for (const address of addresses) {
        const sent = requestFor(address, markedInput(address.name, MARK, known));
        await send(server.url, { ...sent, headers: headers as never });
      }
    const headers = { 'x-mem-api-key': KEY };
    await send(server.url, { method: 'POST', path: '/api/v1/entries', body: `{"${MARK}`, headers });
    await send(server.url, { method: 'POST', path: '/api/v1/entries', body: `{"${MARK}":1}`, headers });
    await send(server.url, { method: 'GET', path: `/${MARK}?${MARK}=${MARK}`, headers });
    await sendRaw(server.url, `GET /${MARK} HTTP/7\r\nX-MEM-API-Key: ${KEY}\r\n\r\n`);
    for (const secret of [MARK, KEY, 'mem_sk_']) expect(lines.join('')).not.toContain(secret);
  });

  it('has the stack and the request id of a failure, but not its data', async () => {
    broken = true;
    lines.length = 0;
    const asked = new Set(addresses.map(({ name }) => name).filter((name) => name !== 'health.read'));
    for (const name of asked) {
      const address = addresses.find((one) => one.name === name) as (typeof addresses)[number];
      const sent = requestFor(address, markedInput(name, MARK, known));
      const answer = await send(server.url, { ...sent, headers: { 'x-mem-api-key': KEY } });
      expect(answer.status, name).toBe(500);
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.json).toEqual({
        type: 'urn:mem:error:internal',
        title: 'The service failed',
        status: 500,
        detail: 'the service failed; the log has the details',
        code: 'internal',
        request_id: answer.headers.get('x-request-id'),
      });
      // Background work fails too, and logs lines of its own.
      const logged = lines.map((line) => JSON.parse(line));
      const line = logged.findLast(({ request_id }) => request_id !== undefined);
      expect(line).toMatchObject({
        level: 50,
        request_id: answer.json.request_id,
        err: { message: 'the engine is on fire' },
      });
      expect(line.err.stack).toMatch(/\.ts:\d+/);
    }
    broken = false;
    for (const secret of [MARK, KEY]) expect(lines.join('')).not.toContain(secret);
  });

  it('has a line for every request where that is asked for, and nothing that callers wrote', async () => {
    lines.length = 0;
    const logging = await listen(app, { log: createLogger('info', stream), apiKeys: [KEY], logRequests: true });
    const headers = { 'x-mem-api-key': KEY, 'x-mem-agent-id': MARK };
    const asked = [
      { method: 'GET', path: `/api/v1/entries/${MARK}/${MARK}?${MARK}=${MARK}`, headers },
      { method: 'POST', path: '/api/v1/entries', body: `{"${MARK}":1}`, headers },
      { method: 'GET', path: `/${MARK}`, headers },
      { method: 'GET', path: `/%FF${MARK}`, headers },
      { method: 'GET', path: '/api/v1/stats', headers: { 'x-mem-api-key': `${KEY}-wrong` } },
    ];
    const answers = [];
    for (const request of asked) answers.push(await send(logging.url, request as never));
    await logging.close();
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(logged).toMatchObject(
      answers.map(({ status, headers: answered }, i) => ({
        request_id: answered.get('x-request-id'),
        method: asked[i]?.method,
        status,
        ms: expect.any(Number),
        account: i < 3 ? expect.stringMatching(/^[0-9a-f-]{36}$/) : null,
      })),
    );
    expect(logged.map(({ operation, code }) => operation ?? code)).toEqual([
      'entries.read',
      'entries.write',
      'route_not_found',
      'invalid_input',
      'unauthenticated',
    ]);
    expect(logged[0].route).toMatch(/^\/api\/v1\/entries/);
    for (const secret of [MARK, KEY]) expect(lines.join('')).not.toContain(secret);
  });
});
