import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ServingProcess, serve } from '../cli/support.ts';
import { memProgram } from '../faults/support/mem-process.ts';
import { type ClientHome, entryIn, openHome } from './support.ts';

let home: ClientHome;
beforeEach(async () => {
  home = await openHome();
});
afterEach(() => home.desk.remove());

type ConfiguredServer = { command: string; args: string[]; env?: Record<string, string> };

/** The first requests of a client to a server that it starts. */
async function toolsOf({ command, args, env }: ConfiguredServer): Promise<string[]> {
  const child = spawn(command, args, { env: { PATH: process.env.PATH, HOME: home.folder, ...env }, cwd: home.folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    }
    if (id === 2) {
      child.stdin.end();
      return result.tools.map((tool: { name: string }) => tool.name);
    }
  }
  throw new Error('the server ended');
}

it('what is written for a client starts the server', async () => {
  await home.init(['--yes', '--client', 'claude-desktop'], { env: { MEM_TOOLSET: 'mem_read,mem_write' } });
  const entry = entryIn(home.read('.config/Claude/claude_desktop_config.json'), 'mcpServers') as ConfiguredServer;
  expect((await toolsOf(entry)).sort()).toEqual(['mem_read', 'mem_write']);
});

it('the tools that are chosen are offered, and a wrong name is refused before anything is written', async () => {
  const wrong = await home.init(['--yes', '--client', 'claude-desktop', '--toolset', 'tiny']);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain('--toolset: there is no "tiny"; use slim, core');
  await home.init(['--yes', '--client', 'claude-desktop', '--toolset', 'slim']);
  const entry = entryIn(home.read('.config/Claude/claude_desktop_config.json'), 'mcpServers') as ConfiguredServer;
  expect(await toolsOf(entry)).toHaveLength(11);
});

const hasScript = spawnSync('script', ['--version']).status === 0;

it.skipIf(!hasScript).each([
  ['y', true],
  ['n', false],
  ['', false],
])('asked on a terminal, %j is heard', async (answer, written) => {
  const line = `'${process.execPath}' '${await memProgram()}' init --client cursor`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...home.desk.env, PATH: process.env.PATH },
    cwd: home.folder,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    if (!screen.includes('an address [1]') && (screen + chunk).includes('an address [1]')) child.stdin.write('\n');
    if (!screen.includes('Tools [core]') && (screen + chunk).includes('Tools [core]')) child.stdin.write('\n');
    if (!screen.includes('[y/N]') && (screen + chunk).includes('[y/N]')) child.stdin.write(`${answer}\n`);
    screen += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(screen).toContain('memory is at ~/.mem/store (your own store)');
  expect(screen).toContain(written ? 'wrote ~/.cursor/mcp.json' : 'nothing was written');
  expect(Object.keys(home.files()).includes('.cursor/mcp.json')).toBe(written);
});

it.skipIf(!hasScript).each(['an address [1]', 'Tools [core]', '[y/N]'])(
  'Ctrl-C at the question %j ends it with nothing written',
  async (question) => {
    const line = `'${process.execPath}' '${await memProgram()}' init --client cursor`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { ...home.desk.env, PATH: process.env.PATH },
      cwd: home.folder,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const questions = ['an address [1]', 'Tools [core]', '[y/N]'];
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const before = screen;
      screen += chunk;
      for (const one of questions)
        if (!before.includes(one) && screen.includes(one)) child.stdin.write(one === question ? '\u0003' : '\n');
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(130);
    expect(questions.filter((one) => screen.includes(one)).at(-1)).toBe(question);
    expect(home.files()).not.toHaveProperty(['.cursor/mcp.json']);
  },
);

describe('the hooks of Claude Code', () => {
  /** As the client runs them: the line of its settings in a shell, with JSON on standard input. */
  async function hook(event: 'SessionStart' | 'Stop', input: object | string, env: Record<string, string> = {}) {
    const { hooks } = JSON.parse(home.read('.claude/settings.json'));
    const { command } = hooks[event][0].hooks[0] as { command: string };
    const text =
      typeof input === 'string'
        ? input
        : JSON.stringify({ session_id: 's-1', cwd: `${home.folder}/shop`, hook_event_name: event, ...input });
    return home.desk.bash(command, { input: text, env: { PATH: process.env.PATH, ...env } });
  }
  const contextOf = (out: string): string => {
    const { hookSpecificOutput } = JSON.parse(out);
    expect(hookSpecificOutput.hookEventName).toBe('SessionStart');
    return hookSpecificOutput.additionalContext;
  };
  const write = (words: readonly string[], env: Record<string, string>) =>
    home.desk.inProcess(['write', ...words], { env });

  beforeEach(async () => {
    home.put('shop/.git/HEAD', 'ref: refs/heads/main\n');
  });

  it('say nothing as long as memory is empty, and make no store', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    expect(await hook('SessionStart', { source: 'startup' })).toEqual({ code: 0, out: '', err: '' });
    expect(Object.keys(home.files()).filter((file) => file.endsWith('.db'))).toEqual([]);
  });

  it('print at the start what the store of the client holds about the project', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    const env = { MEM_DATA_DIR: `${home.folder}/.mem/store` };
    await write(['shop/payments', 'retry-policy', '{"max_attempts": 3}'], env);
    await write(['shop', 'owner', '"team-basket"'], env);
    await write(['elsewhere', 'other', '"thing"'], env);
    const { code, out, err } = await hook('SessionStart', { source: 'startup' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const context = contextOf(out);
    const [own, others] = context.split('Written last elsewhere:') as [string, string];
    expect(own).toContain('Memory (mem) has 3 entries on 3 subjects.');
    expect(own).toContain(
      'Known about shop:\n- shop owner (fact, 0.70 untested): team-basket\n- shop/payments retry-policy (fact, 0.70 untested): {"max_attempts":3}',
    );
    expect(others).toContain('- elsewhere other (fact, 0.70 untested): thing');
    expect(context.split('\n').at(-1)).toMatch(/mem_retrieve .*mem_commit_outcome/);
    // A briefing that shows an entry does not count as a read.
    expect((await home.desk.inProcess(['read', 'shop', 'owner', '--json'], { env })).out).toContain('"recall_count":0');
  });

  it('print neither what looks like a secret nor what outcomes have refuted', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    const env = { MEM_DATA_DIR: `${home.folder}/.mem/store` };
    const token = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6'].join('');
    const warned = await write(['shop/ci', 'push', `"push with ${token}"`], env);
    expect(warned.out).toContain(
      'looks like a secret (github_token); to take it out with its history: mem erase shop/ci push',
    );
    await write(['shop/db', 'db-password', '"correct horse"'], env);
    await write(['shop', 'owner', '"team-basket"'], env);
    await write(['shop', 'wrong', '"never retry"'], env);
    const causes = JSON.stringify(['shop/wrong']);
    for (const ref of ['one', 'two', 'three'])
      await home.desk.inProcess(['outcome', ref, 'critical_failure', '--causal-entry-keys', causes], { env });
    expect((await home.desk.inProcess(['read', 'shop', 'wrong', '--json'], { env })).out).toContain('"discredited"');
    const context = contextOf((await hook('SessionStart', { source: 'startup' })).out);
    expect(context).toContain('- shop owner (fact, 0.70 untested): team-basket');
    expect(context).toContain('- shop/ci push (fact, 0.70 untested): [looks like a secret: not shown]');
    expect(context).toContain('- shop/db db-password (fact, 0.70 untested): [looks like a secret: not shown]');
    expect(context).not.toMatch(new RegExp(`${token}|correct horse|never retry`));
  });

  it('use the server that init was given, with the key of the environment', async () => {
    const key = 'a-key-for-the-tests';
    const server: ServingProcess = await serve({
      ...home.desk.env,
      MEM_DATA_DIR: `${home.folder}/served`,
      MEM_API_KEYS: key,
    });
    try {
      const env = { MEM_HTTP_URL: server.url, MEM_API_KEY: key };
      await home.init(['--yes', '--client', 'claude-code'], { env });
      await write(['shop/web', 'freeze', '"until Monday"'], env);
      expect(contextOf((await hook('SessionStart', {}, { MEM_API_KEY: key })).out)).toContain('shop/web freeze');
      // Without the key the briefing is empty, and the client still starts.
      expect(await hook('SessionStart', {})).toMatchObject({ code: 0, out: '' });
    } finally {
      await server.stop();
    }
    expect(await hook('SessionStart', {}, { MEM_API_KEY: key })).toMatchObject({ code: 0, out: '' });
  });

  const call = (id: string, name: string) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id, name: `mcp__mem__${name}`, input: {} }] },
  });
  const result = (id: string, is_error: boolean) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error, content: 'x' }] },
  });
  const transcript = (...lines: object[]) => {
    home.put(
      't.jsonl',
      [{ type: 'user', message: { role: 'user', content: 'mem_write it' } }, ...lines]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    return { transcript_path: `${home.folder}/t.jsonl`, stop_hook_active: false };
  };

  it('remind at the end, once for each piece of work', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    const silent = { code: 0, out: '', err: '' };
    expect(await hook('Stop', transcript())).toEqual(silent);
    expect(await hook('Stop', transcript(call('1', 'mem_stats')))).toEqual(silent);
    const used = [call('1', 'mem_search'), result('1', false), call('2', 'mem_write')];
    // While the client continues because of the reminder, nothing is printed.
    expect(await hook('Stop', { ...transcript(...used), stop_hook_active: true })).toEqual(silent);
    const reminded = await hook('Stop', transcript(...used));
    expect(JSON.parse(reminded.out)).toEqual({ decision: 'block', reason: expect.stringContaining('(2 calls)') });
    expect(await hook('Stop', transcript(...used, call('3', 'mem_read')))).toEqual(silent);
    const sealed = [...used, call('4', 'mem_commit_outcome'), result('4', false)];
    expect(await hook('Stop', transcript(...sealed))).toEqual(silent);
    const again = await hook('Stop', transcript(...sealed, call('5', 'mem_read')));
    expect(JSON.parse(again.out)).toMatchObject({ decision: 'block', reason: expect.stringContaining('(1 call)') });
  });

  it('take an outcome that failed for none', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    const lines = [call('1', 'mem_read'), call('2', 'mem_commit_outcome'), result('2', true)];
    expect(JSON.parse((await hook('Stop', transcript(...lines))).out)).toMatchObject({ decision: 'block' });
  });

  it('never keep the client from its work, whatever they are given', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    for (const input of ['', 'no JSON', '[]', 'null', '{"cwd": 5}', '{"session_id":"s","transcript_path":"/nowhere"}'])
      for (const event of ['SessionStart', 'Stop'] as const)
        expect(await hook(event, input), `${event} ${input}`).toMatchObject({ code: 0, out: '' });
    expect(await home.desk.mem(['hook', 'nonsense', '--and', 'more'])).toMatchObject({ code: 1, out: '' });
  });
});
