import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clients } from '../../packages/server/src/cli/init/clients.ts';
import type { Machine } from '../../packages/server/src/cli/init/machine.ts';
import { commandLine, programsOf } from '../../packages/server/src/cli/init/program.ts';

const machine = (platform: NodeJS.Platform, env: Machine['env'] = {}): Machine => ({
  platform,
  env,
  home: '/home/ada',
  folder: '/home/ada/shop',
});
const configs = (given: Machine) =>
  Object.fromEntries(clients.map((client) => [client.name, client.files(given, 'user').config]));

describe('the files of the clients', () => {
  const everywhere = {
    'claude-code': '/home/ada/.claude.json',
    cursor: '/home/ada/.cursor/mcp.json',
    codex: '/home/ada/.codex/config.toml',
    gemini: '/home/ada/.gemini/settings.json',
    windsurf: '/home/ada/.codeium/windsurf/mcp_config.json',
  };

  it.each([
    ['linux', {}, '/home/ada/.config'],
    ['linux', { XDG_CONFIG_HOME: '/home/ada/etc' }, '/home/ada/etc'],
    ['darwin', {}, '/home/ada/Library/Application Support'],
    ['win32', { APPDATA: '/home/ada/AppData/Roaming' }, '/home/ada/AppData/Roaming'],
  ] as const)('are where they are on %s with %j', (platform, env, data) => {
    expect(configs(machine(platform, env))).toEqual({
      ...everywhere,
      'claude-desktop': `${data}/Claude/claude_desktop_config.json`,
      vscode: `${data}/Code/User/mcp.json`,
    });
  });

  it('follow the variables of the clients', () => {
    const moved = configs(machine('linux', { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x' }));
    expect(moved).toMatchObject({ 'claude-code': '/c/.claude.json', codex: '/x/config.toml' });
  });
});

describe('the program', () => {
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'mem program-'));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  };
  const put = (...parts: string[]) => {
    const at = join(folder(), ...parts);
    mkdirSync(join(at, '..'), { recursive: true });
    writeFileSync(at, '');
    return at;
  };

  it('is started by the whole names of node and file where it was installed or built', () => {
    const script = put('dist', 'mem.js');
    const { mcp, mem } = programsOf({ node: '/usr/bin/node', script, platform: 'linux' });
    expect(mcp).toEqual({ command: '/usr/bin/node', args: [script, 'mcp'] });
    expect(commandLine(mem, 'hook', 'stop')).toBe(`/usr/bin/node "${script}" hook stop`);
  });

  it('is started by npx where npx has brought it', () => {
    const script = put('_npx', '0a1b', 'node_modules', '@mem-service', 'cli', 'dist', 'mem.js');
    expect(programsOf({ node: '/usr/bin/node', script, platform: 'darwin' })).toEqual({
      mcp: { command: 'npx', args: ['-y', '@mem-service/cli', 'mcp'] },
      mem: { command: 'npx', args: ['-y', '@mem-service/cli'] },
      typed: 'npx @mem-service/cli',
    });
    expect(programsOf({ node: 'node.exe', script, platform: 'win32' }).mcp).toEqual({
      command: 'cmd',
      args: ['/c', 'npx', '-y', '@mem-service/cli', 'mcp'],
    });
  });

  it('is not written down where it is no program that a client could start', () => {
    expect(() => programsOf({ node: 'node', script: put('main.ts'), platform: 'linux' })).toThrow('npm run build');
  });
});
