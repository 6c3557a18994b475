import {
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fragment } from '../../packages/server/src/db/index.ts';
import { renderMetrics } from '../../packages/server/src/http/metrics.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { indexerOf } from '../../packages/server/src/modules/text/indexer.ts';
import { openDriver } from '../cli/sqlite.ts';
import { newPlace, openTestApp, type StorePlace, type TestApp } from '../support/app.ts';

const ACCOUNT = SELF_HOSTED_ACCOUNT;

/** Puts everything that was written so far into the index. */
async function indexAll(app: TestApp): Promise<void> {
  const indexer = indexerOf(app.kernel.services);
  indexer?.request(ACCOUNT);
  await indexer?.drain();
}

const position = (app: TestApp) => indexerOf(app.kernel.services)?.position(ACCOUNT);

const write = (app: TestApp, key: string, { value, ...more }: { value: unknown; [name: string]: unknown }) =>
  app.call('entries.write', { entity_path: 'notes', key, value, ...more });

async function found(app: TestApp, query: string, more: object = {}): Promise<string[]> {
  const { entries } = await app.call('entries.search', { query, limit: 100, ...more });
  return entries.map((entry) => entry.key);
}

describe('the words of entries in a file of their own', () => {
  let place: StorePlace;
  let app: TestApp;
  const wordsFile = () => join(place.options.dataDir, 'words.db');

  beforeAll(async () => {
    place = await newPlace('sqlite');
    app = await openTestApp('sqlite', { place });
  });
  afterAll(async () => {
    await app.close();
    await place.remove();
  });

  it('are not written by the transaction of a write, and found all the same', async () => {
    await write(app, 'first', { value: 'granite cliffs' });
    expect(existsSync(wordsFile())).toBe(false);
    expect(await found(app, 'granite')).toEqual(['first']);
    await indexAll(app);
    expect(await found(app, 'granite')).toEqual(['first']);
    expect(await position(app)).toBeGreaterThan(0);
    expect(statSync(wordsFile()).mode & 0o777).toBe(0o600);
  });

  it('of an entry that was replaced or deleted since it was indexed are not found', async () => {
    await write(app, 'replaced', { value: 'basalt columns' });
    await write(app, 'deleted', { value: 'basalt floor' });
    await indexAll(app);
    expect((await found(app, 'basalt')).sort()).toEqual(['deleted', 'replaced']);
    await write(app, 'replaced', { value: 'slate roof' });
    await app.call('entries.delete', { entity_path: 'notes', key: 'deleted' });
    const isGone = async () => {
      expect(await found(app, 'basalt')).toEqual([]);
      expect(await found(app, 'slate')).toEqual(['replaced']);
    };
    await isGone();
    await indexAll(app);
    await isGone();
  });

  it('rank alike in the index, after it, and half and half', async () => {
    const texts = [
      'quartz quartz vein',
      'quartz in a very long line of other minerals such as feldspar and mica',
      'a vein of ore',
      'quartz vein with ore',
      'nothing of the kind',
      'mica',
      'feldspar feldspar and ore',
      'one more line',
    ];
    const other = await openTestApp('sqlite');
    try {
      const answers: unknown[] = [];
      const answer = async () => {
        const pages = ['quartz', 'vein ore', 'quartz ore mica', '"quartz vein"', 'feld*'].map(async (query) => {
          const { entries } = await other.call('entries.search', { query });
          return entries.map(({ key, score }) => [key, Math.round((score ?? 0) * 1e4)]);
        });
        answers.push(await Promise.all(pages));
      };
      for (const [i, text] of texts.entries()) await write(other, `rock-${i}`, { value: text });
      await answer();
      const keys = (of: unknown) =>
        JSON.stringify(of, (_name, value) => (typeof value === 'number' ? undefined : value));
      await indexAll(other);
      await answer();
      // What an entry of the tail replaces is no longer counted.
      for (const i of [0, 3, 6]) await write(other, `rock-${i}`, { value: texts[i], confidence: 0.4 });
      await answer();
      await indexAll(other);
      await answer();
      expect(answers[1]).toEqual(answers[0]);
      expect(keys(answers[2])).toEqual(keys(answers[3]));
    } finally {
      await other.close();
    }
  });

  it('are found at once under load, while the index follows', async () => {
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let round = 0; round < 10; round++) {
        const writes = Array.from({ length: 100 }, (_, i) => ({
          entity_path: `load/${writer}`,
          key: `k${round}-${i}`,
          value: { text: `sandstone w${writer}r${round}n${i}` },
        }));
        await app.call('commits.create', { writes });
        const last = `w${writer}r${round}n99`;
        expect(await found(app, last)).toEqual([`k${round}-99`]);
        expect(await found(app, `w${writer}r0n0`)).toEqual(['k0-0']);
      }
    });
    await Promise.all(writers);
    await app.jobs.sweep();
    await indexAll(app);
    for (const name of ['w0r9n99', 'w3r5n50']) expect(await found(app, name)).toHaveLength(1);
  });

  it.each([
    ['lost', () => {}],
    ['damaged', () => writeFileSync(wordsFile(), 'these are not the bytes of a database '.repeat(400))],
    ['empty', () => writeFileSync(wordsFile(), '')],
  ])('are made again where the file is %s', async (_what, harm) => {
    await app.close();
    for (const end of ['', '-wal', '-shm']) rmSync(wordsFile() + end, { force: true });
    harm();
    app = await openTestApp('sqlite', { place });
    expect(await found(app, 'granite')).toEqual(['first']);
    await indexAll(app);
    expect(await found(app, 'granite')).toEqual(['first']);
    expect(await position(app)).toBeGreaterThan(4000);
    expect(await found(app, 'w3r5n50')).toEqual(['k5-50']);
  });

  const emptyWal = () => truncateSync(`${wordsFile()}-wal`, 0);
  const removeAll = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(wordsFile() + end, { force: true });
  };
  /** All pages but the first, so that what is read is found to be damaged. */
  const overwrite = () => {
    const driver = openSync(wordsFile(), 'r+');
    const { size } = fstatSync(driver);
    writeSync(driver, Buffer.alloc(size - 8192, 0xff), 0, size - 8192, 8192);
    closeSync(driver);
  };
  /** How many files of this store are open that were removed; other tests of the process have their own. */
  const countRemoved = () =>
    (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []).filter((fd) => {
      try {
        const file = readlinkSync(`/proc/self/fd/${fd}`);
        return file.startsWith(wordsFile()) && file.endsWith(' (deleted)');
      } catch {
        return false;
      }
    }).length;

  it.each([
    ['removed', removeAll],
    ['removed without its log', () => rmSync(wordsFile())],
    ['emptied', () => truncateSync(wordsFile(), 0)],
    ['cut off from its log', emptyWal],
    ['overwritten', overwrite],
  ])('are found and indexed anew where the file is %s while the store is open', async (what, harm) => {
    await write(app, 'latest', { value: `gneiss ${what}` });
    await indexAll(app);
    expect(await found(app, 'granite')).toEqual(['first']);
    const [before, open] = [statSync(wordsFile()).ino, countRemoved()];
    if (harm === overwrite) {
      const other = await openDriver(wordsFile());
      other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      other.close();
    }
    harm();
    expect(await found(app, 'w3r5n50')).toEqual(['k5-50']);
    expect(await found(app, 'granite')).toEqual(['first']);
    expect(await found(app, 'gneiss')).toEqual(['latest']);
    await indexAll(app);
    expect(await position(app)).toBeGreaterThan(4000);
    await indexerOf(app.kernel.services)?.release();
    await vi.waitFor(() => expect(countRemoved()).toBeLessThanOrEqual(open));
    expect(statSync(wordsFile()).ino === before).toBe(false);
  });

  it('of a store from before are made from its entries, and its table of words is gone', async () => {
    await app.close();
    for (const end of ['', '-wal', '-shm']) rmSync(wordsFile() + end, { force: true });
    const before = await openDriver(join(place.options.dataDir, 'mem.db'));
    before.exec(`CREATE VIRTUAL TABLE entry_words USING fts5(words, content='', contentless_delete=1);
      INSERT INTO entry_words (rowid, words) VALUES (1, 'old');
      DELETE FROM schema_migrations WHERE module = 'text' AND module_version >= 3`);
    before.close();
    app = await openTestApp('sqlite', { place });
    expect(await found(app, 'w3r5n50')).toEqual(['k5-50']);
    const { read } = app.kernel.services.database;
    const tables = await read.all<{ name: string }>(
      fragment(`SELECT name FROM main.sqlite_schema WHERE name LIKE 'entry_words%'`),
    );
    expect(tables).toEqual([]);
  });

  it('in a file of an earlier format are made again', async () => {
    await indexAll(app);
    await app.close();
    const earlier = await openDriver(wordsFile());
    earlier.exec('ALTER TABLE indexed_entries DROP COLUMN words; PRAGMA user_version = 1');
    earlier.close();
    app = await openTestApp('sqlite', { place });
    expect(await found(app, 'w3r5n50')).toEqual(['k5-50']);
    await indexAll(app);
    expect(await found(app, 'granite', { entity_path: 'notes' })).toEqual(['first']);
    const { read } = app.kernel.services.database;
    expect(await read.get(fragment('SELECT count(*) AS n FROM words.indexed_entries WHERE words IS NULL'))).toEqual({
      n: 0,
    });
  });

  it('of another store are not used', async () => {
    const other = await newPlace('sqlite');
    const first = await openTestApp('sqlite', { place: other });
    await write(first, 'theirs', { value: 'obsidian' });
    await first.close();
    for (const name of readdirSync(place.options.dataDir).filter((name) => name.startsWith('words.db')))
      cpSync(join(place.options.dataDir, name), join(other.options.dataDir, name));
    const second = await openTestApp('sqlite', { place: other });
    try {
      expect(await found(second, 'obsidian')).toEqual(['theirs']);
      await indexAll(second);
      expect(await found(second, 'obsidian')).toEqual(['theirs']);
      expect(await found(second, 'granite')).toEqual([]);
    } finally {
      await second.close();
      await other.remove();
    }
  });

  it('leave no byte in either file once their entries are erased, indexed or not', async () => {
    const mark = 'zqvxunmistakable';
    await write(app, 'kept', { value: 'a rock that stays' });
    for (let i = 0; i < 5; i++)
      await write(app, `secret-${i}`, { value: `${mark}${i} granite`, entity_path: 'people/one' });
    await indexAll(app);
    await write(app, 'secret-5', { value: `${mark}5`, entity_path: 'people/one' });
    await app.call('entries.erase', { entity_path: 'people/**' });
    expect(await found(app, 'granite', { entity_path: 'people/one' })).toEqual([]);
    await app.jobs.sweep();
    const holding = () =>
      readdirSync(place.options.dataDir).filter((name) =>
        readFileSync(join(place.options.dataDir, name)).toString('latin1').includes(mark),
      );
    expect(holding()).toEqual([]);
    await app.close();
    expect(holding()).toEqual([]);
    app = await openTestApp('sqlite', { place });
    expect(await found(app, 'stays')).toEqual(['kept']);
  });

  it('leave no byte either where the store is closed right after the erasure', async () => {
    const mark = 'zqvyunmistakable';
    for (let i = 0; i < 5; i++)
      await write(app, `secret-${i}`, { value: `${mark}${i} granite`, entity_path: 'people/two' });
    await indexAll(app);
    await app.call('entries.erase', { entity_path: 'people/**' });
    await app.close();
    const holding = readdirSync(place.options.dataDir).filter((name) =>
      readFileSync(join(place.options.dataDir, name)).toString('latin1').includes(mark),
    );
    expect(holding).toEqual([]);
    app = await openTestApp('sqlite', { place });
  });

  it('are counted by a metric while the index does not have them', async () => {
    await indexAll(app);
    const shown = async () => /^mem_words_behind (\d+)$/m.exec(await renderMetrics(app.kernel))?.[1];
    expect(await shown()).toBe('0');
    await write(app, 'counted', { value: 'marble' });
    expect(await shown()).toBe('1');
    await indexAll(app);
    expect(await shown()).toBe('0');
  });
});
