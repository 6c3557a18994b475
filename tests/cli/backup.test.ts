import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type ServingProcess, serve } from './support.ts';

describe('mem backup and mem restore', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
    for (const key of ['a', 'b', 'c']) await desk.inProcess(['write', 'svc', key, `"value of ${key}"`]);
  });
  afterEach(() => desk.remove());

  const file = (name: string) => join(desk.folder, name);
  const elsewhere = () => ({ env: { MEM_DATA_DIR: file('other') } });
  const listed = async (options = {}) => (await desk.inProcess(['list', '--json'], options)).out;

  it('a backup of one store restored into another holds the same, and says what it checked', async () => {
    const made = await desk.inProcess(['backup', file('b.db')]);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain(`to ${file('b.db')}`);
    expect(made.out).toMatch(
      /: .* [kM]B, 3 entries, 3 events\nchecked: intact, \d+ rows in \d+ tables as in the original\n/,
    );
    expect(statSync(file('b.db')).mode & 0o777).toBe(0o600);
    const restored = await desk.inProcess(['restore', file('b.db'), '--json'], elsewhere());
    expect(restored.code).toBe(0);
    expect(JSON.parse(restored.out)).toMatchObject({
      store: file('other'),
      rows: { entries: 3, versions: 3, events: 3 },
    });
    expect(await listed(elsewhere())).toBe(await listed());
    expect((await desk.inProcess(['verify'], elsewhere())).out).toContain('checked 3 versions: all intact');
    expect(readdirSync(desk.folder).filter((name) => /partial|-wal|-shm|-journal/.test(name))).toEqual([]);
  });

  it('a file that exists is replaced only if told to', async () => {
    writeFileSync(file('b.db'), 'mine');
    const refused = await desk.inProcess(['backup', file('b.db')]);
    expect(refused).toMatchObject({ code: 5, out: '' });
    expect(refused.err).toContain('exists already');
    expect(readFileSync(file('b.db'), 'utf8')).toBe('mine');
    expect((await desk.inProcess(['backup', file('b.db'), '--force'])).code).toBe(0);
    expect((await desk.inProcess(['restore', file('b.db')], elsewhere())).code).toBe(0);
  });

  it('a store that holds something is replaced only if told to', async () => {
    // In processes of their own, because one that has used a store may hold a lock on it until it ends.
    const real = { env: { MEM_DATA_DIR: file('real') } };
    await desk.bash('mem write svc k 1 && mem backup b.db && mem write svc later 1', real);
    const refused = await desk.mem(['restore', 'b.db'], real);
    expect(refused).toMatchObject({ code: 5, out: '' });
    expect(refused.err).toContain('holds 2 entries and 2 events: add --force');
    expect((await desk.mem(['list', '--json'], real)).out).toContain('later');
    expect((await desk.mem(['restore', 'b.db', '--force'], real)).code).toBe(0);
    expect((await desk.mem(['list', '--json'], real)).out).not.toContain('later');
    expect((await desk.mem(['write', 'svc', 'again', '1'], real)).code).toBe(0);
  });

  it('an empty store is replaced without being told', async () => {
    await desk.inProcess(['backup', file('b.db')]);
    await desk.mem(['commit', '[]'], elsewhere());
    expect(existsSync(join(file('other'), 'mem.db'))).toBe(true);
    expect((await desk.mem(['restore', file('b.db')], elsewhere())).code).toBe(0);
  });

  it('what is no backup, or is damaged, is refused, and the store stays as it is', async () => {
    await desk.inProcess(['backup', file('b.db')]);
    const bytes = readFileSync(file('b.db'));
    bytes.fill(7, 16_384, bytes.length - 8192);
    writeFileSync(file('damaged.db'), bytes);
    writeFileSync(file('text.db'), 'no database '.repeat(1000));
    const before = await listed();
    for (const name of ['damaged.db', 'text.db']) {
      const { code, err } = await desk.inProcess(['restore', file(name), '--force']);
      expect(code, err).toBe(2);
      expect(err).toContain(name);
    }
    expect((await desk.inProcess(['restore', file('absent.db')])).code).toBe(3);
    expect(await listed()).toBe(before);
  });

  it('where there is no store there is nothing to back up, and none is made', async () => {
    const { code, err } = await desk.inProcess(['backup', file('b.db')], elsewhere());
    expect(code).toBe(3);
    expect(err).toContain(`there is no store in ${file('other')}`);
    expect(existsSync(file('other'))).toBe(false);
  });

  it('for PostgreSQL and for a server elsewhere it says what to do', async () => {
    const postgres = { env: { MEM_POSTGRES_DSN: 'postgres://mem@db/mem' } };
    const remote = { env: { MEM_HTTP_URL: 'https://mem.example.com' } };
    for (const [word, tool] of [
      ['backup', 'pg_dump'],
      ['restore', 'pg_restore'],
    ] as const) {
      const { code, err } = await desk.inProcess([word, file('b.db')], postgres);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(tool) });
      const asked = await desk.inProcess([word, file('b.db')], remote);
      expect({ code: asked.code, err: asked.err }).toEqual({ code: 2, err: expect.stringContaining('on its machine') });
    }
  });
});

describe('while a server runs and is written to', () => {
  let desk: Desk;
  let server: ServingProcess;
  beforeAll(async () => {
    desk = await openDesk();
    server = await serve(desk.env);
  });
  afterAll(async () => {
    await server.stop();
    desk.remove();
  });

  const write = (n: number) =>
    fetch(`${server.url}/api/v1/entries`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entity_path: 'svc', key: `k${n}`, value: 'x'.repeat(2000) }),
    });

  it('a backup is one moment of the store: a log without gaps and an entry for each write', async () => {
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) expect((await write(++written)).status).toBe(201);
    })();
    await write(0);
    const copies = [];
    for (const name of ['1.db', '2.db', '3.db'])
      copies.push(await desk.inProcess(['backup', join(desk.folder, name), '--json']));
    isOver = true;
    await writing;
    expect(copies.map(({ code, err }) => ({ code, err }))).toEqual(Array(3).fill({ code: 0, err: '' }));
    const { DatabaseSync } = await import('@photostructure/sqlite');
    for (const { out } of copies) {
      const { file, rows } = JSON.parse(out);
      expect(rows.entries).toBe(rows.events);
      const copy = new DatabaseSync(file, { readOnly: true });
      const { n } = copy.prepare('SELECT count(*) AS n FROM events').get() as { n: number };
      const { last } = copy.prepare('SELECT max(seq) AS last FROM events').get() as { last: number };
      copy.close();
      expect(n).toBe(rows.events);
      expect(last).toBe(n);
    }
    expect(JSON.parse(copies[2]?.out ?? '').rows.entries).toBeGreaterThanOrEqual(
      JSON.parse(copies[0]?.out ?? '').rows.entries,
    );
  });

  it('its store is not replaced, told to or not, and the server does not notice', async () => {
    await desk.inProcess(['backup', join(desk.folder, 'b.db')]);
    for (const force of [[], ['--force']]) {
      const { code, err } = await desk.inProcess(['restore', join(desk.folder, 'b.db'), ...force]);
      expect(code).toBe(5);
      expect(err).toContain('is in use: stop the server');
    }
    expect((await write(1_000_000)).status).toBe(201);
    expect(readdirSync(join(desk.folder, 'store')).filter((name) => name.includes('restoring'))).toEqual([]);
  });
});
