import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventLine, eventLines } from '../../packages/server/src/cli/render/index.ts';
import { type Desk, openDesk, type ServingProcess, serve } from './support.ts';

const KEY = 'a-key-for-the-tests';

describe.each(['a local store', 'a server'])('on %s', (where) => {
  let local: Desk;
  let desk: Desk;
  let server: ServingProcess | undefined;
  beforeEach(async () => {
    local = await openDesk();
    server = where === 'a server' ? await serve({ ...local.env, MEM_API_KEYS: KEY }) : undefined;
    desk = server ? await openDesk({ MEM_HTTP_URL: server.url, MEM_API_KEY: KEY }) : local;
  });
  afterEach(async () => {
    await server?.stop();
    desk.remove();
    local.remove();
  });

  it('mem status shows in one screen where the memory is and what it holds', async () => {
    const as = ['--agent', 'agent/x', '--session', 's-1'];
    await desk.inProcess(['write', 'svc/a', 'one', '"first"', ...as]);
    await desk.inProcess(['write', 'svc/b', 'two', '"second"', ...as]);
    await desk.inProcess(['read', 'svc/a', 'one', ...as]);
    await desk.inProcess(['outcome', 'run-1', 'success', ...as]);
    await desk.inProcess(['read', 'svc/b', 'two', ...as]);
    await desk.inProcess(['context', 'ticket', 'seen', ...as]);
    const { code, out, err } = await desk.inProcess(['status', ...as]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n').map((line) => line.trimEnd());
    const place = server
      ? new RegExp(`^server {3}${server.url} \\(mem \\d+\\.\\d+\\.\\d+ on SQLite\\)$`)
      : /^store {4}\S+\/store \(SQLite, [\d.]+ [kM]B\)$/;
    expect(lines[0]).toMatch(/^mem \d+\.\d+\.\d+$/);
    expect(lines[2]).toMatch(place);
    expect(out).toMatch(/^entries {2}2 on 2 paths by 1 agent, confidence \d\.\d\d on average$/m);
    expect(out).toMatch(/^log {6}\d+ events, last write \S+ \S+Z$/m);
    expect(out).toMatch(/^agent {4}agent\/x, session s-1$/m);
    expect(out).toMatch(/^session {2}open since \S+ \S+Z: 1 entry read, 1 record$/m);
    expect(out).toMatch(/^outcome {2}\+ run-1 \(success\) by agent\/x, \S+ \S+Z$/m);
    expect(out).toMatch(/^clients {2}none set up: mem init$/m);
    if (server) expect(out).not.toMatch(/^meaning/m);
    else expect(out).toMatch(/^meaning {2}(built-in embedder|embedder off: .*words alone)$/m);
    const status = JSON.parse((await desk.inProcess(['status', '--json', ...as])).out);
    expect(status).toMatchObject({
      agent_id: 'agent/x',
      session: { read: 1, recorded: 1 },
      last_outcome: { outcome_ref: 'run-1' },
    });
  });

  it('mem log looks back, newest first, and finds what it is asked for', async () => {
    const writes = [
      { entity_path: 'svc/a', key: 'one', value: 1 },
      { entity_path: 'other', key: 'two', value: 2 },
      { entity_path: 'svc/a/b', key: 'three', value: 3 },
    ];
    await desk.inProcess(['commit', JSON.stringify(writes), '--agent', 'agent/x']);
    await desk.inProcess(['write', 'svc/a', 'four', '4', '--agent', 'agent/y']);
    const look = async (...args: string[]) => {
      const { code, out, err } = await desk.inProcess(['log', '--json', ...args]);
      expect(code, err).toBe(0);
      const events = out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      return events.map(({ event_type, key }) => key ?? event_type);
    };
    expect(await look()).toEqual(['four', 'commit', 'three', 'two', 'one']);
    expect(await look('svc/**', '--limit', '2')).toEqual(['four', 'three']);
    expect(await look('--types', 'memory_write', '--agent-id', 'agent/y')).toEqual(['four']);
    expect(await look('--before', '3', '--limit', '1')).toEqual(['two']);
    const { out } = await desk.inProcess(['log', '--limit', '1']);
    expect(out).toMatch(/^5 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}write {2}svc\/a four v1 {2}by agent\/y/);
  });
});

it.each([
  [['a*'], 'is no path'],
  [['--types', 'x'], 'there is no "x"'],
  [['--limit', '0'], 'must be a whole number above 0'],
])('mem log %j says what is wrong', async (args, problem) => {
  const desk = await openDesk();
  await desk.inProcess(['write', 'a', 'k', '1']);
  expect(await desk.inProcess(['log', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
  desk.remove();
});

it('mem status makes no store where there is none', async () => {
  const desk = await openDesk();
  const { code, out } = await desk.mem(['status']);
  expect(code).toBe(0);
  expect(out).toContain('/store: there is none yet, the first write creates it');
  expect(existsSync(join(desk.folder, 'store'))).toBe(false);
  await desk.mem(['init', '--yes', '--client', 'cursor']);
  expect((await desk.mem(['status'])).out).toMatch(/^clients {2}Cursor$/m);
  desk.remove();
});

describe('events on a terminal', () => {
  const event = (seq: number, event_type: string, rest: object = {}) => ({
    seq,
    event_type,
    agent_id: 'a',
    branch: 'main',
    entity_path: 'p',
    key: 'k',
    version: 1,
    created_at: '2026-01-01T10:00:00.000Z',
    ...rest,
  });
  const screen = { width: 60, colour: true };

  it('have the colour of their type', () => {
    const colour = (type: string, rest = {}) =>
      new RegExp(`\\[(\\d+)m${type} *\\u001b`).exec(eventLine(event(1, type, rest), screen))?.[1];
    expect(['write', 'delete', 'span'].map((type) => colour(type))).toEqual(['32', '31', '33']);
    expect(colour('outcome', { outcome_type: 'success' })).toBe('32');
    expect(colour('outcome', { outcome_type: 'failure' })).toBe('31');
  });

  it('are cut at the edge, under the day they belong to', () => {
    const plain = { width: 60, colour: false };
    const events = [
      event(3, 'write', { created_at: '2026-01-02T01:00:00.000Z', note: 'x'.repeat(80) }),
      event(2, 'delete', { created_at: '2026-01-01T23:00:00.000Z' }),
      event(1, 'write'),
    ];
    const lines = eventLines(events, plain).split('\n');
    expect(lines[0]).toBe('2026-01-02');
    expect(lines[1]).toMatch(/^3 {2}01:00:00 {2}write {13}p k v1 {2}by a {2}note=x+…$/);
    expect(lines[1]).toHaveLength(60);
    expect(lines.slice(2, 4)).toEqual(['', '2026-01-01']);
    expect(lines[5]).toMatch(/^1 {2}10:00:00/);
  });
});
