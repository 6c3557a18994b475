import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type ServingProcess, serve } from '../cli/support.ts';
import { classWith, ECHO, newFolder, writeConnector } from './support.ts';

const SECRET = 'a-secret-of-tests';
let desk: Desk;
let server: ServingProcess | undefined;
beforeAll(async () => {
  desk = await openDesk({ MEM_CONNECTOR_TESTED_SECRET: SECRET, MEM_EMBEDDER: 'off', MEM_CORTEX: 'off' });
});
afterAll(async () => {
  await server?.stop();
  desk.remove();
});

const install = (transform: string) =>
  desk.mem(['connector', 'install', writeConnector(join(newFolder(), 'tested'), classWith(transform))]);

async function deliver(payload: unknown) {
  const body = JSON.stringify(payload);
  const answer = await fetch(`${server?.url}/api/v1/webhooks/tested`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Signature': createHmac('sha256', SECRET).update(body).digest('hex'),
    },
    body,
  });
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
}

describe('an installed connector in mem serve', () => {
  it('transforms webhooks; what fails is kept, and replayed with the version of now', async () => {
    expect(await install(`if (event.payload.bad) throw new Error('not yet');\n${ECHO}`)).toMatchObject({
      code: 0,
      err: '',
    });
    server = await serve(desk.env);
    expect(await deliver({ id: 'd1', type: 'thing.made', n: 1 })).toMatchObject({
      status: 202,
      duplicate: false,
      results: [{ operation: 'write', entity_path: 'a', key: 'd1', version: 1, status: 'written' }],
    });
    expect(await deliver({ id: 'd1', type: 'thing.made', n: 1 })).toMatchObject({ status: 200, duplicate: true });
    expect(await deliver({ id: 'd2', bad: true })).toMatchObject({
      status: 202,
      reason: expect.stringMatching(/Error: not yet \(transform\.mjs:\d+:\d+\)/),
    });
    await server.stop();
    server = undefined;

    const listed = await desk.mem(['connector', 'replay', '--json']);
    expect(JSON.parse(listed.out).dead_letters).toMatchObject([{ connector: 'tested', id: 'd2' }]);
    expect(await desk.mem(['connector', 'replay', '--all'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('0 events of 1 transformed'),
    });
    const [{ letter_id }] = JSON.parse(listed.out).dead_letters;
    expect(await desk.mem(['connector', 'replay', letter_id])).toMatchObject({
      code: 1,
      out: expect.stringContaining('failed again'),
    });
    await install(ECHO);
    expect(await desk.mem(['connector', 'replay', '--all'])).toEqual({
      code: 0,
      out: '1 event of 1 transformed\n',
      err: '',
    });
    const { provenance, value } = JSON.parse((await desk.mem(['read', 'a', 'd2', '--json'])).out);
    expect(value).toEqual({ id: 'd2', bad: true });
    expect(provenance).toMatchObject({ agent_id: 'webhook/tested' });
    expect(JSON.parse((await desk.mem(['connector', 'replay', '--json'])).out).dead_letters).toEqual([]);
    expect((await desk.mem(['connectors'])).out).toMatch(/tested/);
  });
});

describe('an installed connector that no longer loads', () => {
  it('keeps what arrives, with the reason', async () => {
    await install(ECHO);
    writeFileSync(join(desk.env.MEM_DATA_DIR as string, 'connectors', 'tested', 'transform.mjs'), 'export class {');
    server = await serve(desk.env);
    expect(await deliver({ id: 'd3' })).toMatchObject({
      status: 202,
      reason: expect.stringContaining('SyntaxError'),
      results: [{ status: 'raw' }],
    });
    await server.stop();
    server = undefined;
    const status = JSON.parse((await desk.mem(['connectors.read', 'tested', '--json'])).out);
    expect(JSON.stringify(status)).toContain('SyntaxError');
    const letters = JSON.parse((await desk.mem(['connector', 'replay', '--json'])).out).dead_letters;
    expect(letters).toMatchObject([{ connector: 'tested', id: 'd3' }]);
  });
});

describe('mem events send', () => {
  it('is one command in two words', async () => {
    const sent = await desk.mem([
      'events',
      'send',
      'ci',
      'builds/shop',
      'nightly',
      '{"state":"failed"}',
      '--event-type',
      'build.failed',
      '--json',
    ]);
    expect({ code: sent.code, err: sent.err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(sent.out)).toMatchObject({ sender: 'external/ci', entity_path: 'builds/shop', key: 'nightly' });
    expect((await desk.mem(['help', 'events', 'send'])).out).toBe((await desk.mem(['events.send', '--help'])).out);
    expect((await desk.mem(['events'])).out).toContain('build.failed');
  });
});
