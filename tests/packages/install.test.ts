import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../mcp/support.ts';
import {
  type CommandResult,
  type EmptyMachine,
  type InstallResult,
  install,
  manifestOf,
  newMachine,
  type PackageName,
  packAll,
  packageNames,
  root,
  runCommand,
} from './npm.ts';

const MEGABYTE = 1024 * 1024;

let machine: EmptyMachine;
let tarballs: Awaited<ReturnType<typeof packAll>>;
const installed = new Map<PackageName, InstallResult>();
const children: ChildProcess[] = [];

beforeAll(async () => {
  machine = newMachine();
  tarballs = await packAll(machine);
  await Promise.all(packageNames.map(async (name) => installed.set(name, await installOne(name))));
}, 240_000);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(machine.folder, { recursive: true, force: true });
});

function installOne(name: PackageName): Promise<InstallResult> {
  const needed = manifestOf(name).dependencies ? [tarballs.zod] : [];
  const forAllFolders = ['--global', '--prefix', join(machine.folder, name)];
  const flags = name === 'cli' ? forAllFolders : [];
  return install(machine, name, { tarballs: [tarballs[name], ...needed], flags });
}

/** The table with its notices, and how it was trained. */
function embedderFiles(): string[] {
  const below = (folder: string) =>
    readdirSync(join(root, 'packages', 'embedder', folder)).map((file) => `${folder}/${file}`);
  return ['NOTICES.md', ...below('table'), ...below('train')];
}

const inHome = (...path: string[]) => join(machine.env.HOME as string, ...path);

describe.each(packageNames)('the package %s as npm packs it', (name) => {
  it('has its README and licence, what it exports and no more', () => {
    const paths = tarballs[name].files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']));
    const others = paths.filter((path) => !path.startsWith('dist/'));
    const beside = name === 'embedder' ? embedderFiles() : [];
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json', ...beside].sort());
    expect(paths.filter((path) => /\.map$|\.test\.|(?<!\.d)\.ts$|\.part$/.test(path))).toEqual([]);
    expect(readFileSync(join(root, 'packages', name, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(root, 'LICENSE'), 'utf8'),
    );
  });

  it('is small', () => {
    // Most of server and cli are the binaries of SQLite for all platforms and the table of the embedder.
    const most = { server: 27, cli: 27, embedder: 15 }[name as string] ?? 1;
    expect(tarballs[name].size).toBeLessThan(most * MEGABYTE);
  });

  it('runs nothing when it is installed, and is built when it is packed', () => {
    const { scripts = {}, engines, version } = manifestOf(name);
    expect(Object.keys(scripts)).toEqual(['prepack']);
    expect(scripts.prepack).toContain(`scripts/build.mjs ${name}`);
    expect(engines).toEqual(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines);
    expect(version).toBe(manifestOf('cli').version);
  });
});

describe('the packages that serve the dashboard', () => {
  it.each(['server', 'cli'] as const)(
    '%s has its files, compressed too, and the licences of what is in them',
    (name) => {
      const paths = tarballs[name].files.map(({ path }) => path);
      const files = paths.filter((path) => path.startsWith('dist/dashboard/')).map((path) => path.slice(15));
      const plain = files.filter((path) => /\.(html|js|css)$/.test(path));
      expect(plain).toEqual(expect.arrayContaining(['index.html', expect.stringMatching(/^main-[A-Z0-9]{8}\.js$/)]));
      const all = plain.flatMap((path) => [path, `${path}.gz`, `${path}.br`]);
      expect(files.filter((path) => /\.(html|js|css)(\.gz|\.br)?$/.test(path)).sort()).toEqual(all.sort());
      const licences = readFileSync(
        join(root, 'packages', name, 'dist', 'dashboard', 'THIRD-PARTY-LICENSES.txt'),
        'utf8',
      );
      expect(licences).toContain('react-dom 19');
    },
  );
});

describe('into an empty folder, without cache, settings or network', () => {
  it.each(packageNames)('%s installs alone, without a warning', (name) => {
    const { code, out, err, at } = installed.get(name) as InstallResult;
    expect({ code, err, out }).toEqual({ code: 0, err: '', out: expect.stringMatching(/added [12] packages?/) });
    const files = readdirSync(at, { recursive: true }).map(String);
    expect(files.some((path) => path.endsWith('.node'))).toBe(name === 'server' || name === 'cli');
  });
});

describe('the embedder, installed alone', () => {
  it('finds its table, and knows what is related without a shared word', async () => {
    const { at } = installed.get('embedder') as InstallResult;
    const script = `import { dot, loadEmbedder } from '@mem-service/embedder';
      const embedder = loadEmbedder();
      const near = (text) => dot(embedder.encode(text), embedder.encode('allergic to peanuts'));
      console.log(near('nuts allergy') > 2 * near('billing period'));`;
    writeFileSync(join(at, 'try.mjs'), script);
    const result = await runCommand([process.execPath, 'try.mjs'], { env: machine.env, cwd: at });
    expect(result).toEqual({ code: 0, out: 'true\n', err: '' });
  });
});

describe('the command mem, installed for all folders', () => {
  let mem: string;
  let cwd: string;
  beforeAll(() => {
    mem = join(machine.folder, 'cli', 'bin', 'mem');
    cwd = join(machine.folder, 'shop');
    mkdirSync(cwd);
    mkdirSync(inHome('.cursor'));
  });

  const run = (...args: string[]): Promise<CommandResult> =>
    runCommand([mem, ...args], { env: { ...machine.env, MEM_DATA_DIR: inHome('store') }, cwd });

  it('tells its version and its commands', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, out: expect.stringContaining(manifestOf('cli').version) });
    expect((await run('help')).out).toContain('init');
  });

  it('sets up a client, which starts it, shakes hands and remembers', async () => {
    expect(await run('init', '--client', 'cursor', '--yes')).toMatchObject({ code: 0 });
    const { command, args, env } = JSON.parse(readFileSync(inHome('.cursor', 'mcp.json'), 'utf8')).mcpServers.mem;
    const transport = new StdioClientTransport({ command, args, env: { ...machine.env, ...env }, stderr: 'pipe' });
    const client = await open('cursor', transport);
    expect(client.client.getServerVersion()).toMatchObject({ name: 'mem', version: manifestOf('cli').version });
    await client.call('mem_write', { entity_path: 'shop/cart', key: 'currency', value: 'EUR' });
    await client.close();
    expect((await run('read', 'shop/cart', 'currency')).out).toContain('EUR');
  });

  it('has the modules of pro inside', async () => {
    expect(await run('tag', 'v1', '--json')).toMatchObject({ code: 0, out: expect.stringContaining('"tags/v1"') });
  });

  it('serves the SDK, the documentation and its files', async () => {
    const env = { ...machine.env, MEM_DATA_DIR: inHome('served'), MEM_HTTP_HOST: '127.0.0.1', MEM_HTTP_PORT: '0' };
    const child = spawn(mem, ['serve'], { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let url: string | undefined;
    for await (const chunk of child.stdout) {
      url = /listening {2}(\S+)/.exec(String(chunk))?.[1];
      if (url) break;
    }
    const docs = await fetch(`${url}/docs/swagger-ui-bundle.js`);
    expect({ status: docs.status, long: (await docs.text()).length > 1e6 }).toEqual({ status: 200, long: true });
    const dashboard = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
    const [, main] = /src="\.(\/dashboard\/main-\w+\.js)"/.exec(dashboard) ?? [];
    expect((await fetch(`${url}${main}`)).status).toBe(200);
    const script = `import { createClient } from '@mem-service/sdk';
      const mem = createClient({ url: '${url}' });
      await mem.entries.write({ entityPath: 'a', key: 'k', value: [1] });
      console.log(JSON.stringify((await mem.entries.read({ entityPath: 'a', key: 'k' })).value));`;
    const at = join(machine.folder, 'sdk');
    writeFileSync(join(at, 'try.mjs'), script);
    const { out, err } = await runCommand([process.execPath, 'try.mjs'], { env: machine.env, cwd: at });
    expect({ out, err }).toEqual({ out: '[1]\n', err: '' });
  });
});

describe('npx', () => {
  it('runs mem without installing it, and has clients start it in the same way', async () => {
    mkdirSync(inHome('.gemini'));
    const args = ['npx', '--offline', '--yes', `file:${tarballs.cli.file}`, 'init', '--client', 'gemini', '--yes'];
    expect(await runCommand(args, { env: machine.env, cwd: machine.folder })).toMatchObject({
      code: 0,
      out: expect.stringContaining('npx @mem-service/cli doctor'),
    });
    const { mcpServers } = JSON.parse(readFileSync(inHome('.gemini', 'settings.json'), 'utf8'));
    expect(mcpServers.mem).toMatchObject({ command: 'npx', args: ['-y', '@mem-service/cli', 'mcp'] });
  });
});

describe('the libraries, installed beside each other', () => {
  let at: string;
  beforeAll(async () => {
    const others = (['contract', 'sdk', 'mcp', 'pro', 'zod'] as const).map((name) => tarballs[name]);
    const result = await install(machine, 'server', { tarballs: others });
    expect(result.err).toBe('');
    at = result.at;
  });

  const program = (text: string) => {
    writeFileSync(join(at, 'try.mjs'), text);
    return runCommand([process.execPath, 'try.mjs'], { env: machine.env, cwd: at });
  };

  it('open a store in a program of its own, with the modules of pro', async () => {
    const { out, err } = await program(`
      import { openInstalledApp, readConfig, SELF_HOSTED_ACCOUNT } from '@mem-service/server';
      const app = await openInstalledApp(readConfig({ MEM_DATA_DIR: 'store' }));
      const caller = { account_id: SELF_HOSTED_ACCOUNT, actor: 'x', agent_id: 'x', session_id: null, address: null, request_id: '1' };
      const { tag } = await app.kernel.invoke('tags.create', { name: 'v1' }, caller);
      console.log(JSON.stringify(tag ?? 'made'));
      await app.close();`);
    expect({ err, made: out.length > 0 }).toEqual({ err: '', made: true });
  });

  it('let mem-mcp open a store of this machine', async () => {
    const command = join(at, 'node_modules', '.bin', 'mem-mcp');
    expect(statSync(command).mode & 0o111).not.toBe(0);
    const env = { ...machine.env, MEM_DATA_DIR: inHome('beside') };
    const client = await open('near', new StdioClientTransport({ command, env, stderr: 'pipe' }));
    expect(await client.call('mem_write', { entity_path: 'a', key: 'k', value: 1 })).toMatchObject({ isError: false });
  });

  it('have types that the strictest compiler takes, without skipping any', async () => {
    writeFileSync(
      join(at, 'app.ts'),
      `import { faultCodes, type Operation, operations } from '@mem-service/contract';
import { modules } from '@mem-service/pro';
import { createClient, isMemError } from '@mem-service/sdk';
import { instrumentAnthropic } from '@mem-service/sdk/anthropic';
import { createClient as createSmallClient, type Methods } from '@mem-service/sdk/browser';
import { instrumentOpenAI } from '@mem-service/sdk/openai';
import { type App, openApp, readConfig } from '@mem-service/server';
import { Fault, type Module } from '@mem-service/server/module';

const mem = createClient({ url: 'http://localhost:8080' });
export async function confidence(): Promise<number> {
  try {
    const entry = await mem.entries.read({ entityPath: 'a', key: 'k' });
    return entry.confidence;
  } catch (error) {
    if (isMemError(error, 'not_found')) return faultCodes.not_found.status;
    throw error;
  }
}
// @ts-expect-error: there is no such field
export const wrong = () => mem.entries.write({ entityPath: 'a', key: 'k', value: 1, confidenc: 1 });
export const page: Methods = createSmallClient({ url: 'http://localhost:8080', apiKey: () => undefined });
export const row: Operation = operations['entries.write'];
export const app: Promise<App> = openApp({ ...readConfig({}), modules });
export const more: readonly Module[] = modules;
export const all = [Fault, instrumentOpenAI, instrumentAnthropic];
`,
    );
    const compilerOptions = {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'NodeNext',
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }));
    const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    writeFileSync(join(at, 'package.json'), JSON.stringify({ ...manifest, type: 'module' }));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const { out } = await runCommand([tsc, '-p', '.'], { env: machine.env, cwd: at });
    expect(out).toBe('');
  });
});
