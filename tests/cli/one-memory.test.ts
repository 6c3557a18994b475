import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateMemory, locateServedMemory } from '../../packages/mcp/src/location.ts';
import { memProgram } from '../faults/support/mem-process.ts';
import { open } from '../mcp/support.ts';
import { runInProcess } from './support.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mem-one-'));
  project = join(home, 'projects', 'shop', 'src');
  mkdirSync(project, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}) => ({ PATH: dirname(process.execPath), HOME: home, ...more });

/** A command in a folder, in this process. */
const mem = (args: readonly string[], { folder = project, more = {} }: { folder?: string; more?: object } = {}) =>
  runInProcess(args, { env: { ...env(), ...more }, folder });

const filesBelow = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

/** The server as a client of that folder starts it. */
const startMcp = async (folder: string, more: Record<string, string> = {}) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await memProgram(), 'mcp'],
    env: { ...env(), ...more },
    cwd: folder,
    stderr: 'pipe',
  });
  let printed = '';
  transport.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  return { ...(await open('test', transport)), screen: () => printed };
};

describe('the rule for where memory is', () => {
  it('a server comes first, then a database, a folder, a store found here or above, and the own store', () => {
    const all = { HOME: home, MEM_HTTP_URL: 'http://h', MEM_POSTGRES_DSN: 'postgres://u:p@d/m', MEM_DATA_DIR: 'x' };
    const { MEM_HTTP_URL: _url, ...noServer } = all;
    const { MEM_POSTGRES_DSN: _dsn, ...folderOnly } = noServer;
    expect(locateMemory(all, project)).toEqual({ kind: 'server', at: 'http://h', by: 'MEM_HTTP_URL' });
    expect(locateMemory(noServer, project)).toEqual({ kind: 'postgres', at: 'postgres://d/m', by: 'MEM_POSTGRES_DSN' });
    expect(locateMemory(folderOnly, project)).toEqual({ kind: 'folder', at: join(project, 'x'), by: 'MEM_DATA_DIR' });
    const own = { kind: 'folder', at: join(home, '.mem', 'store'), by: 'own' };
    expect(locateMemory({ HOME: home }, project)).toEqual(own);
    writeFileSync(join(project, '.amfs'), 'no folder');
    expect(locateMemory({ HOME: home, MEM_DATA_DIR: '' }, project)).toEqual(own);
    const named = (MEM_DATA_DIR: string) => locateMemory({ HOME: home, MEM_DATA_DIR }, project);
    expect(named('.amfs')).toEqual({ kind: 'folder', at: join(project, '.amfs'), by: 'MEM_DATA_DIR' });
    mkdirSync(join(home, 'projects', '.amfs'));
    expect(named('.amfs')).toEqual({ kind: 'folder', at: join(home, 'projects', '.amfs'), by: 'MEM_DATA_DIR' });
    expect(named('./.amfs').at).toBe(join(project, '.amfs'));
    expect(locateMemory({ HOME: home }, project)).toEqual({
      kind: 'folder',
      at: join(home, 'projects', '.amfs'),
      by: 'found',
    });
    // A server keeps to its own folder, as specified.
    expect(locateServedMemory({ HOME: home, MEM_DATA_DIR: '.amfs' }, project).at).toBe(join(project, '.amfs'));
    expect(locateServedMemory(all, project)).toMatchObject({ kind: 'postgres' });
    expect(locateServedMemory({ HOME: home }, project)).toEqual({
      kind: 'folder',
      at: join(project, '.amfs'),
      by: 'served',
    });
  });

  it('what an agent has written is found by the command line of the same folder, with and without .amfs', async () => {
    for (const folder of [project, join(home, 'projects')]) {
      const agent = await startMcp(folder);
      await agent.call('mem_write', { entity_path: 'shop', key: 'k', value: `noted in ${folder.length}` });
      expect(agent.screen()).toMatch(/memory is at \S+ \(.+\)/);
      await agent.close();
      const { code, out, err } = await mem(['search', 'noted', '--json'], { folder });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`noted in ${folder.length}`);
      mkdirSync(join(home, 'projects', '.amfs'), { recursive: true });
    }
    expect(existsSync(join(home, '.mem', 'store', 'mem.db'))).toBe(true);
    expect(existsSync(join(home, 'projects', '.amfs', 'mem.db'))).toBe(true);
  });
});

describe('reading creates no store', () => {
  it.each([
    ['search', 'hello'],
    ['read', 'a', 'k'],
    ['list'],
    ['log'],
    ['export'],
    ['explain'],
    ['stats'],
    ['import', '--discard'],
  ])('mem %s says so, and exits with 3', async (...args) => {
    const { code, out, err } = await mem(args);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(`there is no memory yet at ${join(home, '.mem', 'store')} (your own store`);
    expect(filesBelow(home)).toEqual(['projects', 'projects/shop', 'projects/shop/src']);
  });

  it('mem status and mem doctor say so, and all is well', async () => {
    for (const command of ['status', 'doctor']) {
      const { code, out } = await mem([command]);
      expect(code).toBe(0);
      expect(out).toContain('there is none yet');
      expect(out).toContain('your own store');
    }
    expect(filesBelow(home)).toEqual(['projects', 'projects/shop', 'projects/shop/src']);
  });

  it('mem doctor leaves nothing beside a store', async () => {
    // Each in a process: a driver may keep a closed store open until its statements are collected.
    const run = async (...args: string[]) =>
      execFileSync(process.execPath, [await memProgram(), ...args], { cwd: project, env: env(), encoding: 'utf8' });
    await run('write', 'a', 'k', '1');
    const store = join(home, '.mem', 'store');
    const [before, bytes] = [filesBelow(store), readFileSync(join(store, 'mem.db'))];
    expect(await run('doctor')).toContain('SQLite, intact');
    expect(filesBelow(store)).toEqual(before);
    expect(readFileSync(join(store, 'mem.db')).equals(bytes)).toBe(true);
  });

  it('tools answer as from an empty memory, and the first write creates the store', async () => {
    const agent = await startMcp(project);
    expect((await agent.call('mem_search', { query: 'hello' })).json).toMatchObject({ entries: [] });
    expect((await agent.call('mem_read', { entity_path: 'a', key: 'k' })).json).toMatchObject({ status: 'not_found' });
    expect(existsSync(join(home, '.mem'))).toBe(false);
    await agent.call('mem_write', { entity_path: 'a', key: 'k', value: 'first' });
    expect(existsSync(join(home, '.mem', 'store', 'mem.db'))).toBe(true);
    expect((await agent.call('mem_read', { entity_path: 'a', key: 'k' })).json).toMatchObject({ value: 'first' });
  });

  it('a dry run of an import needs none, and an import says where it went', async () => {
    const file = join(home, 'memory.jsonl');
    writeFileSync(file, '{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}\n');
    const args = ['import', '--from', 'server-memory', file];
    const tried = await mem([...args, '--dry-run']);
    expect(tried).toMatchObject({ code: 0, out: expect.stringContaining('would write') });
    expect(existsSync(join(home, '.mem'))).toBe(false);
    const { code, out } = await mem(args);
    expect(code).toBe(0);
    expect(out).toContain(`memory: ${join(home, '.mem', 'store')} (your own store`);
  });
});

describe('a store inside a repository', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' });

  it('keeps itself out of git', async () => {
    git('init', '-q');
    mkdirSync(join(project, '.amfs'));
    await mem(['write', 'a', 'k', '1']);
    expect(existsSync(join(project, '.amfs', 'mem.db'))).toBe(true);
    expect(git('status', '--short', '--untracked-files=all')).toBe('');
  });

  it('hides nothing else where its folder is that of the project', async () => {
    git('init', '-q');
    writeFileSync(join(project, 'index.ts'), '');
    await mem(['write', 'a', 'k', '1'], { more: { MEM_DATA_DIR: project } });
    expect(git('status', '--short', '--untracked-files=all')).toContain('index.ts');
  });
});

describe('mem init', () => {
  it.each([
    ['own', () => join(home, '.mem', 'store')],
    ['project', () => join(project, '.amfs')],
    ['notes', () => join(project, 'notes')],
  ])('--store %s is written down and printed', async (store, at) => {
    const { code, out } = await mem(['init', '--yes', '--client', 'cursor', '--store', store]);
    expect(code).toBe(0);
    expect(out).toContain(`memory is at ~${at().slice(home.length)}`);
    const { mcpServers } = JSON.parse(execFileSync('cat', [join(home, '.cursor', 'mcp.json')], { encoding: 'utf8' }));
    expect(mcpServers.mem.env).toEqual({ MEM_DATA_DIR: at() });
  });

  const cursorText = () => readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8');

  it('without an answer takes the own store for all folders, and the found one for the project', async () => {
    mkdirSync(join(project, '.amfs'));
    const { out } = await mem(['init', '--yes', '--client', 'cursor']);
    expect(out).toMatch(/^memory is at ~\/\.mem\/store \(your own store\)\ncommands in this folder use ~\/projects/);
    expect(cursorText()).toContain(join(home, '.mem', 'store'));
    await mem(['init', '--yes', '--client', 'cursor', '--project']);
    expect(readFileSync(join(project, '.cursor', 'mcp.json'), 'utf8')).toContain('/.amfs"');
  });

  it('again in any folder changes nothing: a client keeps its store and tools, and a new one joins', async () => {
    await mem(['init', '--yes', '--client', 'cursor', '--store', 'project', '--toolset', 'slim']);
    const before = cursorText();
    for (const folder of [home, project]) {
      mkdirSync(join(folder, '.amfs'), { recursive: true });
      const { code, out } = await mem(['init', '--yes', '--client', 'cursor'], { folder });
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('already set up') });
      expect(cursorText()).toBe(before);
    }
    await mem(['init', '--yes', '--client', 'cursor,gemini'], { folder: home });
    expect(cursorText()).toBe(before);
    expect(readFileSync(join(home, '.gemini', 'settings.json'), 'utf8')).toContain(join(project, '.amfs'));
    // Clients that were set up differently stay so.
    await mem(['init', '--yes', '--client', 'gemini', '--store', 'own'], { folder: home });
    expect(await mem(['init', '--yes', '--client', 'cursor,gemini'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Cursor: memory is at .*\nGemini CLI: memory is at ~\/\.mem\/store/),
    });
    expect(cursorText()).toBe(before);
  });

  it('mem status and mem doctor warn when clients and commands use different memories', async () => {
    await mem(['init', '--yes', '--client', 'cursor,codex', '--store', 'own']);
    expect((await mem(['status'])).out).not.toContain('warning');
    mkdirSync(join(project, '.amfs'));
    expect((await mem(['status'])).out).toMatch(/^warning {2}Cursor, Codex CLI use \S+\/\.mem\/store: not the memory/m);
    const { checks } = JSON.parse((await mem(['doctor', '--json'])).out);
    for (const name of ['cursor', 'codex'])
      expect(checks.find((check: { name: string }) => check.name === name)).toMatchObject({
        level: 'warn',
        found: 'its memory is at ~/.mem/store, and commands in this folder use ~/projects/shop/src/.amfs',
        todo: `export MEM_DATA_DIR=${join(home, '.mem', 'store')} makes commands use that; or, in ${project}: mem init --project --store project`,
      });
    // The same variable as the clients makes them agree.
    const more = { MEM_DATA_DIR: join(home, '.mem', 'store') };
    expect((await mem(['status'], { more })).out).not.toContain('warning');
  });

  const everywhere = ['init', '--project', '--yes', '--client', 'claude-code,cursor,codex,vscode,gemini'];

  it.each(['project', 'own'])('--project --store %s writes nothing that holds on one machine only', async (store) => {
    expect((await mem([...everywhere, '--store', store])).code).toBe(0);
    const files = filesBelow(project).filter((file) => /\.(json|toml|md|mdc)$/.test(file));
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) {
      const text = execFileSync('cat', [join(project, file)], { encoding: 'utf8' });
      for (const local of [home, process.execPath, dirname(await memProgram())]) expect(text).not.toContain(local);
      expect(text).not.toMatch(/"\/|\w:\\\\/);
    }
    // Both ways, clients that start there and commands agree.
    const { checks } = JSON.parse((await mem(['doctor', '--json'])).out);
    const ours = checks.filter(({ name }: { name: string }) => name.includes('(project)'));
    expect(ours.map(({ level }: { level: string }) => level)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(await mem(['status'])).toMatchObject({ out: expect.not.stringContaining('warning') });
    expect((await mem([...everywhere, '--uninstall'])).code).toBe(0);
    expect(filesBelow(project).filter((file) => /^\.amfs|\.(json|toml|md|mdc)$/.test(file))).toEqual([]);
  });

  it('--project refuses a store that only this machine has', async () => {
    const { code, err } = await mem(everywhere, { more: { MEM_DATA_DIR: '/somewhere/else' } });
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('exists only on this machine') });
    expect(filesBelow(project)).toEqual([]);
  });
});

describe('mem serve', () => {
  /** Starts a server in the folder, and returns its first screen or what it said instead. */
  async function served(args: readonly string[], folder: string, more: Record<string, string> = {}) {
    const child = spawn(process.execPath, [await memProgram(), 'serve', ...args], {
      cwd: folder,
      env: env({ MEM_HTTP_PORT: '0', MEM_HTTP_HOST: '127.0.0.1', MEM_LOG_LEVEL: 'error', ...more }),
    });
    let screen = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        screen += chunk;
        if (screen.includes('open to')) child.kill('SIGTERM');
      });
    await once(child, 'close');
    return screen;
  }

  it('--local serves the memory that commands there use: a store above, else the own one', async () => {
    await mem(['write', 'a', 'k', '1']);
    expect(await served(['--local'], project)).toContain(`data       ${join(home, '.mem', 'store')} (SQLite, your own`);
    expect(existsSync(join(project, '.amfs'))).toBe(false);
    mkdirSync(join(home, 'projects', '.amfs'));
    expect(await served(['--local'], project)).toContain(
      `data       ${join(home, 'projects', '.amfs')} (SQLite, the store`,
    );
    const given = { MEM_DATA_DIR: join(home, 'given') };
    expect(await served(['--local'], project, given)).toContain(`data       ${given.MEM_DATA_DIR} (SQLite, from`);
    expect(existsSync(join(project, '.amfs'))).toBe(false);
  });

  it('says on its first screen when it begins a store that hides memory, and how to serve that', async () => {
    expect(await served([], project)).not.toContain('Your memory so far');
    await mem(['write', 'a', 'k', '1'], { folder: home });
    mkdirSync(join(home, 'other'));
    expect(await served([], join(home, 'other'))).toContain(
      `Your memory so far: MEM_DATA_DIR=${join(home, '.mem', 'store')} mem serve\n`,
    );
    // The second time the store is no longer new.
    expect(await served([], join(home, 'other'))).not.toContain('Your memory so far');
  });

  it('makes no store where it cannot listen', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    expect(await served(['--port', String(port)], project)).toContain('is already in use');
    taken.close();
    expect(await served(['--host', '192.0.2.1'], project)).toContain('is not an address of this machine');
    expect(await served(['--host', 'no-such-host.invalid'], project)).toContain('is not an address of this machine');
    expect(filesBelow(project)).toEqual([]);
  });
});
