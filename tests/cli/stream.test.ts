import { type ChildProcess, spawn } from 'node:child_process';
import { operations } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { memProgram, until } from '../faults/support/mem-process.ts';
import { outputOf } from '../support/output.ts';
import { type Desk, openDesk, type ServingProcess, serve } from './support.ts';

const KEY = 'a-key-for-the-tests';

type StreamProcess = { child: ChildProcess; out: () => string; err: () => string; ended: Promise<number | null> };

/** `mem stream` as a terminal would start it. */
async function follow(desk: Desk, args: readonly string[]): Promise<StreamProcess> {
  const child = spawn(process.execPath, [await memProgram(), 'stream', ...args], { env: desk.env, cwd: desk.folder });
  const printed = outputOf(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, out: () => printed.out, err: () => printed.err, ended };
}

describe.each(['a local store', 'a server'])('mem stream on %s', (where) => {
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
  const write = async (path: string, key: string) =>
    expect(await desk.inProcess(['write', path, key, '"v"', '--agent', 'agent/x'])).toMatchObject({ code: 0 });

  it('prints what happened and what happens, a line each, until Ctrl-C', async () => {
    await write('svc/a', 'one');
    const following = await follow(desk, ['svc/**', '--after', '0']);
    await until(() => following.out().includes('one'), { what: 'the first line' });
    await write('elsewhere', 'two');
    await write('svc/b', 'three');
    await until(() => following.out().includes('three'), { what: 'the second line' });
    following.child.kill('SIGINT');
    expect(await following.ended).toBe(0);
    expect(following.err()).toBe('');
    const lines = following.out().trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}write {2}svc\/a one v1 {2}by agent\/x {2}/);
    expect(lines[1]).toMatch(/^3 {2}.*svc\/b three v1/);
  });

  it('says that the log ends before the number it is to begin at', async () => {
    await write('svc/a', 'one');
    const { code, out, err } = await desk.inProcess(['watch', '--after', '97']);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toContain('mem: the log ends at 1, before 97: if you have seen that event, the log was set back');
  });

  it('prints JSON lines, exactly as they came', async () => {
    await write('svc', 'one');
    const following = await follow(desk, ['--json', '--after', '0', '--types', 'memory_write']);
    await write('svc', 'two');
    await until(() => following.out().split('\n').length > 2, { what: 'two lines' });
    following.child.kill('SIGTERM');
    expect(await following.ended).toBe(0);
    const events = following
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq, key }) => [seq, key])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
    for (const event of events) expect(operations['log.stream'].output.safeParse(event).success).toBe(true);
  });

  it('ends when its output is closed', async () => {
    await write('svc', 'one');
    const following = await follow(desk, ['--after', '0']);
    await until(() => following.out() !== '', { what: 'the first line' });
    following.child.stdout?.destroy();
    await write('svc', 'two');
    expect(await following.ended).toBe(0);
  });

  it('says what is wrong with what it is asked for', async () => {
    await write('svc', 'one');
    const { code, err } = await desk.mem(['stream', '--types', 'nonsense']);
    expect(code).toBe(2);
    expect(err).toMatch(/^mem: --types: there is no "nonsense": give write, /);
    expect(await desk.inProcess(['stream', '--branch', 'other'])).toMatchObject({ code: 3 });
  });
});

it('mem stream says when its server cannot be reached', async () => {
  const desk = await openDesk({ MEM_HTTP_URL: 'http://127.0.0.1:9' });
  const { code, err } = await desk.mem(['stream']);
  desk.remove();
  expect(code).toBe(6);
  expect(err).toContain('cannot reach http://127.0.0.1:9');
});
