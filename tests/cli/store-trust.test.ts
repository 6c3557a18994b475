import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadDriver } from '../../packages/server/src/db/sqlite-connection.ts';
import { memProgram, startMem } from '../faults/support/mem-process.ts';
import { runInProcess } from './support.ts';

let home: string;
let clone: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mem-trust-'));
  clone = join(home, 'clone');
  mkdirSync(clone);
});
afterEach(() => {
  chmodSync(home, 0o755);
  rmSync(home, { recursive: true, force: true });
});

const OTHER = 65_534;
const isRoot = process.getuid?.() === 0;

type Running = { more?: Record<string, string>; uid?: number; isApart?: boolean };

/** In the process of the tests, unless it is for another user, may stay, or has to close the store wholly. */
async function mem(args: readonly string[], { more = {}, uid, isApart }: Running = {}) {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, MEM_HTTP_PORT: '0', ...more };
  if (uid === undefined && !isApart && args[0] !== 'serve') return runInProcess(args, { env, folder: clone });
  const { status, stdout, stderr } = spawnSync(process.execPath, [await memProgram(), ...args], {
    cwd: clone,
    env,
    encoding: 'utf8',
    timeout: 30_000,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  return { code: status, out: stdout, err: stderr };
}

async function makeForeign(file: string, statements: string): Promise<Buffer> {
  const { DatabaseSync } = await loadDriver();
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
  return readFileSync(file);
}

const INIT = ['init', '--yes', '--client', 'cursor', '--store', 'project'];
const NOTES = "CREATE TABLE notes (id INTEGER, body TEXT); INSERT INTO notes VALUES (1, 'mine')";

describe('a store that comes with a folder', () => {
  it('that is a link to a file elsewhere is refused, and the file stays as it is', async () => {
    const file = join(home, 'browser.db');
    const before = await makeForeign(file, NOTES);
    mkdirSync(join(clone, '.amfs'));
    symlinkSync(file, join(clone, '.amfs', 'mem.db'));
    for (const args of [['list'], ['search', 'x'], ['write', 'a', 'k', '1'], ['backup'], ['serve'], INIT]) {
      const { code, err } = await mem(args);
      expect(code, args[0]).toBeGreaterThan(0);
      expect(err).toContain(`is a link to ${file}, out of ${clone}`);
    }
    const { code, out } = await mem(['doctor']);
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining(`is a link to ${file}`) });
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(home).sort()).toEqual(['browser.db', 'clone']);
  });

  it.each([
    ['its folder', '.amfs', () => symlinkSync(join(home, 'elsewhere'), join(clone, '.amfs'))],
    ['a file beside it', 'mem.db-wal', () => linkInStore('mem.db-wal')],
    ['a file that is not there', 'mem.db', () => linkInStore('mem.db')],
  ])('may not be a link out of the folder: %s', async (_, named, link) => {
    mkdirSync(join(home, 'elsewhere'));
    link();
    const { code, err } = await mem(['write', 'a', 'k', '1']);
    expect({ code, err }).toMatchObject({ code: 4, err: expect.stringContaining(`${named} is a link to`) });
    expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
  });

  function linkInStore(name: string): void {
    mkdirSync(join(clone, '.amfs'));
    symlinkSync(join(home, 'elsewhere', 'new-file'), join(clone, '.amfs', name));
  }

  it('may be a link that stays in the folder, or one that is named on purpose', async () => {
    mkdirSync(join(clone, 'data'));
    symlinkSync('data', join(clone, '.amfs'));
    expect(await mem(['write', 'a', 'k', '1'])).toMatchObject({ code: 0, err: '' });
    expect(existsSync(join(clone, 'data', 'mem.db'))).toBe(true);
    rmSync(join(clone, '.amfs'));
    mkdirSync(join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), join(clone, '.amfs'));
    const named = await mem(['write', 'a', 'k', '1'], { more: { MEM_DATA_DIR: '.amfs' } });
    expect(named).toMatchObject({ code: 0, err: '' });
  });

  it.runIf(isRoot)('of another user is refused, unless it belongs to the owner of a folder of their own', async () => {
    mkdirSync(join(clone, '.amfs'));
    chownSync(join(clone, '.amfs'), OTHER, OTHER);
    const refused = await mem(['write', 'a', 'k', '1']);
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('belongs to another user') });
    expect(refused.err).toContain('MEM_DATA_DIR');
    chownSync(clone, OTHER, OTHER);
    expect(await mem(['write', 'a', 'k', '1'])).toMatchObject({ code: 0, err: '' });
    chmodSync(clone, 0o777);
    expect(await mem(['list'])).toMatchObject({ code: 4, err: expect.stringContaining('belongs to another user') });
    expect(await mem(['list'], { more: { MEM_DATA_DIR: '.amfs' } })).toMatchObject({ code: 0, err: '' });
  });

  it('that cannot be read is not taken for one that is missing', async () => {
    const uid = isRoot ? OTHER : undefined;
    const store = join(home, 'store');
    const more = { MEM_DATA_DIR: store };
    await mem(['write', 'a', 'k', '1'], { more, isApart: true });
    chmodSync(home, 0o755);
    chmodSync(store, 0);
    for (const args of [['list'], ['status'], ['write', 'a', 'k', '2']]) {
      const { code, err } = await mem(args, { more, ...(uid === undefined ? {} : { uid }) });
      expect({ code, err }).toMatchObject({ code: 4, err: expect.stringContaining('permission denied') });
      expect(err).toContain(join(store, 'mem.db'));
    }
    chmodSync(store, 0o700);
  });
});

describe('a database that is not a store of mem', () => {
  it.each([
    ['of another program', NOTES],
    [
      'with a table of the same name',
      `${NOTES}; PRAGMA journal_mode = WAL; CREATE TABLE schema_migrations (version TEXT); INSERT INTO schema_migrations VALUES ('1')`,
    ],
  ])('%s stays as it is, also where it is named', async (_, statements) => {
    const store = join(home, 'theirs');
    mkdirSync(store);
    const before = await makeForeign(join(store, 'mem.db'), statements);
    const more = { MEM_DATA_DIR: store };
    for (const args of [['list'], ['write', 'a', 'k', '1'], ['serve']]) {
      const { code, err } = await mem(args, { more });
      expect({ code, err }).toMatchObject({ code: 6, err: expect.stringContaining('is not a store of mem') });
    }
    const { code, out } = await mem(['doctor'], { more });
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('is not a store of mem') });
    expect(readFileSync(join(store, 'mem.db'))).toEqual(before);
    expect(readdirSync(store)).not.toContain('.gitignore');
  });

  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

  it.each([
    ['trigger', `CREATE TRIGGER slow AFTER UPDATE ON accounts BEGIN ${endless}; END`],
    ['view', `ALTER TABLE sessions RENAME TO old_sessions; CREATE VIEW slow AS ${endless}`],
  ])('a store with a %s that mem did not make is refused', async (_, statements) => {
    const store = join(clone, '.amfs');
    mkdirSync(store);
    expect((await mem(['write', 'a', 'k', '1'])).code).toBe(0);
    await makeForeign(join(store, 'mem.db'), statements);
    for (const args of [['list'], ['write', 'a', 'k', '2']]) {
      const { code, err } = await mem(args);
      expect({ code, err }).toMatchObject({ code: 6, err: expect.stringContaining('has a trigger or view "slow"') });
    }
    const { code, out } = await mem(['doctor']);
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('has a trigger or view "slow"') });
  });
});

describe('a store in a repository', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' });

  it('keeps itself out of git whatever else is in its folder', async () => {
    git('init', '-q');
    mkdirSync(join(clone, '.amfs'));
    writeFileSync(join(clone, '.amfs', 'README'), 'mine');
    expect((await mem(['write', 'a', 'k', '1'])).code).toBe(0);
    expect(git('status', '--short', '--untracked-files=all')).toBe('');
    expect((await mem(['doctor'])).out).not.toContain('the repository holds the store');
  });

  it('is reported when git tracks it', async () => {
    git('init', '-q');
    mkdirSync(join(clone, '.amfs'));
    await mem(['write', 'a', 'k', '1']);
    git('add', '-f', '.amfs/mem.db');
    for (const command of ['status', 'doctor'])
      expect((await mem([command])).out).toMatch(/the repository holds the store.*git rm -r --cached/s);
  });

  it('shows its keys on the first screen and in mem doctor', async () => {
    const store = join(clone, '.amfs');
    mkdirSync(store);
    expect(await mem(['create-key', 'theirs'])).toMatchObject({ code: 0 });
    const server = await startMem({ MEM_DATA_DIR: store, MEM_API_KEYS: 'a-long-random-secret' });
    expect(server.output()).toContain('on: 1 key of MEM_API_KEYS, 1 key in the store (mem list-keys)');
    await server.stop();
    expect((await mem(['doctor'])).out).toContain('1 key in the store');
  });
});

describe('mem init --project', () => {
  it.each([
    ['a file', () => symlinkSync(join(home, '.bashrc'), join(clone, 'CLAUDE.md')), 'CLAUDE.md'],
    ['a folder', () => symlinkSync(home, join(clone, '.claude')), '.claude'],
    ['a link to nothing', () => symlinkSync(join(home, 'new.json'), join(clone, '.mcp.json')), '.mcp.json'],
  ])('writes through no link out of the project: %s', async (_, link, named) => {
    writeFileSync(join(home, '.bashrc'), 'alias l=ls\n');
    link();
    const args = ['init', '--project', '--yes', '--client', 'claude-code', '--store', 'own'];
    const { code, out, err } = await mem(args);
    expect(code).toBe(1);
    expect(out + err).toContain(`${join(clone, named)} is a link to ${home}`);
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('alias l=ls\n');
    expect(
      readdirSync(home)
        .filter((name) => name !== '.mem')
        .sort(),
    ).toEqual(['.bashrc', 'clone']);
  });
});

it('a store that can only be read is read', async () => {
  const store = join(home, 'store');
  const more = { MEM_DATA_DIR: store };
  await mem(['write', 'a', 'k', 'kept'], { more, isApart: true });
  chmodSync(home, 0o755);
  for (const name of readdirSync(store)) chmodSync(join(store, name), 0o444);
  chmodSync(store, 0o555);
  const running = { more, ...(isRoot ? { uid: OTHER } : {}) };
  for (const args of [['list'], ['search', 'kept'], ['read', 'a', 'k'], ['export'], ['status'], ['stats']])
    expect(await mem(args, running)).toMatchObject({ code: 0, err: '' });
  expect((await mem(['export'], running)).out).toContain('kept');
  expect((await mem(['write', 'a', 'k', '2'], running)).code).toBe(6);
  chmodSync(store, 0o755);
});
