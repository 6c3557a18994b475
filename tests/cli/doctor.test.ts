import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Check } from '../../packages/server/src/cli/doctor/check.ts';
import { checkNode } from '../../packages/server/src/cli/doctor/index.ts';
import { openDriver } from './sqlite.ts';
import { type Desk, openDesk, type ServingProcess, serve } from './support.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ PATH: dirname(process.execPath) });
});
afterEach(() => desk.remove());

async function examine(env: Record<string, string> = {}) {
  const { code, out, err } = await desk.inProcess(['doctor', '--json'], { env });
  expect(err).toBe('');
  const { checks, failed } = JSON.parse(out) as { checks: Check[]; failed: number };
  expect(code).toBe(failed > 0 ? 1 : 0);
  for (const { level, todo } of checks) expect(todo === undefined).toBe(level === 'ok');
  return { of: (name: string) => checks.filter((check) => check.name === name), failed };
}

describe('mem doctor on a store', () => {
  it('finds nothing wrong where nothing is, and makes no store', async () => {
    const { of, failed } = await examine();
    expect(failed).toBe(0);
    expect(of('store')).toEqual([
      { name: 'store', level: 'ok', found: 'there is none yet: the first write creates it' },
    ]);
    expect(of('clients')).toMatchObject([{ level: 'warn', todo: 'mem init' }]);
    expect((await desk.bash('ls store')).code).not.toBe(0);
  });

  it('looks at folder, space, integrity and schema', async () => {
    await desk.mem(['write', 'a', 'k', '1']);
    const { of, failed } = await examine();
    expect(failed).toBe(0);
    expect(of('folder')).toMatchObject([{ level: 'ok', found: join(desk.folder, 'store') }]);
    expect(of('disk')).toMatchObject([{ found: expect.stringMatching(/^[\d.]+ [kMGT]?B free$/) }]);
    expect(of('store')).toMatchObject([{ level: 'ok', found: 'SQLite, intact' }]);
    expect(of('schema')).toMatchObject([{ level: 'ok', found: expect.stringMatching(/^\d+, up to date$/) }]);
    chmodSync(join(desk.folder, 'store'), 0o755);
    expect((await examine()).of('folder')).toMatchObject([
      { level: 'warn', todo: expect.stringContaining('chmod 700') },
    ]);
  });

  it('sees a schema that is older or newer than the program', async () => {
    await desk.mem(['write', 'a', 'k', '1']);
    const store = await openDriver(join(desk.folder, 'store', 'mem.db'));
    store.exec('DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)');
    expect((await examine()).of('schema')).toMatchObject([
      { level: 'warn', found: expect.stringMatching(/^\d+ of \d+$/) },
    ]);
    store.exec("INSERT INTO schema_migrations VALUES (9999, 'later', 0, 'entries', 9999)");
    store.close();
    expect((await examine()).of('schema')).toMatchObject([{ level: 'fail', todo: 'install a newer version of mem' }]);
  });

  it('sees a file that is broken', async () => {
    mkdirSync(join(desk.folder, 'store'), { mode: 0o700 });
    writeFileSync(join(desk.folder, 'store', 'mem.db'), 'this is no database, and long enough to look like one');
    expect((await examine()).of('store')).toMatchObject([{ level: 'fail', todo: expect.stringContaining('backup') }]);
  });

  it('names a damaged page, and what to do', async () => {
    await desk.mem(['write', 'a', 'k', '1']);
    const file = join(desk.folder, 'store', 'mem.db');
    const store = await openDriver(file);
    const text = `SELECT pageno FROM dbstat WHERE name = 'versions' LIMIT 1`;
    const page = store.get<{ pageno: number }>({ text, values: [] })?.pageno ?? 0;
    store.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    store.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, (page - 1) * 8192, page * 8192));
    expect((await examine()).of('store')).toMatchObject([
      {
        level: 'fail',
        found: expect.stringMatching(/page \d+/),
        todo: expect.stringContaining('restore the last backup'),
      },
    ]);
  });

  it('and every command say in a sentence that a table is missing', async () => {
    await desk.mem(['write', 'a', 'k', '1']);
    const store = await openDriver(join(desk.folder, 'store', 'mem.db'));
    store.exec('DROP TABLE edges');
    store.close();
    const { code, err } = await desk.mem(['read', 'a', 'k']);
    expect([code, err]).toEqual([1, expect.stringMatching(/^mem: The database lacks .*edges.*Restore a backup\.\n$/)]);
  });

  it('names the variable that is wrong, and those it does not know', async () => {
    expect((await examine({ MEM_HTTP_PORT: 'x' })).of('settings')).toMatchObject([
      { level: 'fail', found: 'MEM_HTTP_PORT must be a whole number between 0 and 65535' },
    ]);
    expect((await examine({ MEM_READ_ONLY: 'on' })).of('settings')).toMatchObject([
      { level: 'warn', todo: 'set MEM_PRIMARY_URL' },
    ]);
    expect((await examine({ MEM_NONSENSE: 'x' })).of('settings')).toMatchObject([
      { level: 'warn', found: expect.stringContaining('MEM_NONSENSE') },
    ]);
  });

  it('warns of a key that a server would not ask for', async () => {
    expect((await examine({ MEM_API_KEY: 'a-key-of-forty-characters' })).of('open to')).toMatchObject([
      { level: 'warn', todo: expect.stringContaining('MEM_API_KEYS') },
    ]);
  });

  it('is a screen for people', async () => {
    const { code, out } = await desk.mem(['doctor']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {4}node +\d+\.\d+\.\d+\n/);
    expect(out).toMatch(/\nwarn {2}clients +none is set up\n +-> mem init\n\n\d+ checks: 1 warning\n$/);
  });
});

describe('mem doctor on a server', () => {
  const KEY = 'a-key-for-the-tests';
  let server: ServingProcess;
  beforeEach(async () => {
    server = await serve({ ...desk.env, MEM_API_KEYS: KEY });
  });
  afterEach(async () => {
    await server.stop();
  });

  it('checks that it is there, its version, the key and the clock', async () => {
    const { of, failed } = await examine({ MEM_HTTP_URL: server.url, MEM_API_KEY: KEY });
    expect(failed).toBe(0);
    for (const name of ['server', 'version', 'key', 'embedder', 'clock'])
      expect(of(name)).toMatchObject([{ level: 'ok' }]);
    expect((await examine({ MEM_HTTP_URL: server.url })).of('key')).toMatchObject([
      { level: 'fail', todo: 'set MEM_API_KEY' },
    ]);
    const wrong = await examine({ MEM_HTTP_URL: server.url, MEM_API_KEY: 'another-key' });
    expect(wrong.of('key')).toMatchObject([{ level: 'fail', found: 'the server does not accept it' }]);
  });
});

/** Something that answers in place of the service. */
async function standIn(body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('mem doctor distinguishes an unreachable server from another service', async () => {
  const other = await standIn({ hello: 'world' });
  expect((await examine({ MEM_HTTP_URL: other })).of('server')).toMatchObject([
    { level: 'fail', found: expect.stringContaining('is no memory service') },
  ]);
  const { of } = await examine({ MEM_HTTP_URL: 'http://127.0.0.1:9' });
  expect(of('server')).toMatchObject([{ level: 'fail', found: expect.stringContaining('cannot be reached') }]);
});

it('mem doctor sees a server of another version, and clocks that differ', async () => {
  const url = await standIn({ status: 'ok', version: '99.0.0' }, { date: 'Mon, 01 Jan 2024 00:00:00 GMT' });
  const { of } = await examine({ MEM_HTTP_URL: url });
  expect(of('version')).toMatchObject([{ level: 'warn', found: expect.stringContaining('99.0.0') }]);
  expect(of('clock')).toMatchObject([{ level: 'warn', found: expect.stringContaining('from that of the server') }]);
});

describe('mem doctor on clients', () => {
  it('checks that what they start is there', async () => {
    await desk.inProcess(['init', '--yes', '--client', 'claude-code,codex,cursor']);
    const well = await examine();
    for (const name of ['claude-code', 'codex', 'cursor']) expect(well.of(name)).toMatchObject([{ level: 'ok' }]);
    const broken = `sed -i 's#[^"]*/mem.js#/gone/mem.js#; s#[^" ]*/mem.js hook#/gone/mem.js hook#'`;
    await desk.bash(
      `PATH=/usr/bin:/bin; ${broken} .claude.json .claude/settings.json .codex/config.toml; sed -i 's#"command": "[^"]*"#"command": "nowhere"#' .cursor/mcp.json`,
    );
    const { of } = await examine();
    for (const name of ['claude-code', 'codex', 'claude-code hooks'])
      expect(of(name)).toMatchObject([
        { level: 'fail', found: expect.stringContaining('/gone/mem.js is not there'), todo: 'run mem init again' },
      ]);
    expect(of('cursor')).toMatchObject([{ level: 'fail', found: 'nowhere is not there' }]);
  });

  it('names the place in a file that a client cannot read, and a key that is not set', async () => {
    await desk.inProcess(['init', '--yes', '--client', 'gemini'], {
      env: { MEM_HTTP_URL: 'http://127.0.0.1:9', MEM_API_KEY: 'abcdefgh' },
    });
    expect((await examine()).of('gemini')).toMatchObject([
      { level: 'warn', todo: 'set it where the client is started' },
    ]);
    mkdirSync(join(desk.folder, '.cursor'), { recursive: true });
    writeFileSync(join(desk.folder, '.cursor', 'mcp.json'), '{"mem":');
    expect((await examine()).of('cursor')).toMatchObject([
      { level: 'fail', found: expect.stringContaining('line 1, column 8') },
    ]);
    rmSync(join(desk.folder, '.cursor'), { recursive: true });
  });
});

it.each([
  ['20.18.9', 'fail'],
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
  ['18.20.0', 'fail'],
])('Node %s: %s', (version, level) => {
  expect(checkNode(version).level).toBe(level);
});
