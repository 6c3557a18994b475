import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Database,
  fragment,
  openPostgres,
  openSqlite,
  sql,
  type Transaction,
} from '../../packages/server/src/db/index.ts';
import { type Backend, backends, newPlace } from '../support/app.ts';
import { holdWrites } from './support/hold-writes.ts';

async function open(backend: Backend) {
  const place = await newPlace(backend);
  const { dataDir, postgresDsn: dsn } = place.options;
  const database =
    dsn === undefined ? await openSqlite(dataDir) : await openPostgres({ dsn, poolSize: 2, onError: () => {} });
  await database.transaction((tx) => tx.run(sql`CREATE TABLE notes (name TEXT PRIMARY KEY, body TEXT)`));
  onTestFinished(async () => {
    await database.close();
    await place.remove();
  });
  return { database, place };
}

const note = (name: string, body = '') => sql`INSERT INTO notes (name, body) VALUES (${name}, ${body})`;
const names = async (database: Database) =>
  (await database.read.all<{ name: string }>(sql`SELECT name FROM notes ORDER BY name`)).map(({ name }) => name);

describe.each(backends)('a transaction on %s', (backend) => {
  it('is undone whole when its work throws, and the next one is not touched by it', async () => {
    const { database } = await open(backend);
    const failed = database.transaction(async (tx) => {
      await tx.run(note('a'));
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    await database.transaction((tx) => tx.run(note('b')));
    expect(await names(database)).toEqual(['b']);
  });

  it('undoes a savepoint alone, as often as one fails', async () => {
    const { database } = await open(backend);
    await database.transaction(async (tx) => {
      await tx.run(note('a'));
      for (const name of ['b', 'c', 'd']) {
        const work = tx.savepoint(async () => {
          await tx.run(note(name));
          if (name === 'c') throw new Error('not this one');
          // A statement that fails in the engine, not in our code.
          if (name === 'd') await tx.run(note('a'));
        });
        await work.catch(() => {});
      }
      await tx.savepoint(() => tx.run(note('e')));
    });
    expect(await names(database)).toEqual(['a', 'b', 'e']);
  });

  it('reports the first error, also when statements were sent together', async () => {
    const { database } = await open(backend);
    const failed = database.transaction(async (tx) => {
      await tx.run(note('a'));
      const sent = [tx.run(note('a')), tx.run(note('b')), tx.get(sql`SELECT 1 AS one`)];
      for (const statement of sent) statement.catch(() => {});
      await tx.get(sql`SELECT 2 AS two`);
      await Promise.all(sent);
    });
    await expect(failed).rejects.toThrow(/unique/i);
    expect(await names(database)).toEqual([]);
  });

  it('is not committed after a failed statement, even if its result was ignored', async () => {
    const { database } = await open(backend);
    const failed = database.transaction(async (tx) => {
      await tx.run(note('a'));
      await tx.run(note('a')).catch(() => {});
      return 'done';
    });
    await expect(failed).rejects.toThrow(/unique/i);
    expect(await names(database)).toEqual([]);
  });

  it('takes no more statements once it is over', async () => {
    const { database } = await open(backend);
    let kept: Transaction | undefined;
    await database.transaction(async (tx) => {
      kept = tx;
      await tx.run(note('a'));
    });
    await expect(kept?.run(note('b'))).rejects.toThrow('the transaction is over');
    const failed = database.transaction(async (tx) => {
      kept = tx;
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await expect(kept?.run(note('c'))).rejects.toThrow('the transaction is over');
    expect(await names(database)).toEqual(['a']);
  });

  it('is finished before the store closes', async () => {
    const place = await newPlace(backend);
    const { dataDir, postgresDsn: dsn } = place.options;
    const again = async () =>
      dsn === undefined ? await openSqlite(dataDir) : await openPostgres({ dsn, poolSize: 2, onError: () => {} });
    const database = await again();
    await database.transaction(async (tx) => {
      // A store is known by this table, and opened again only with it.
      await tx.run(sql`CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at INTEGER)`);
      await tx.run(sql`CREATE TABLE notes (name TEXT PRIMARY KEY, body TEXT)`);
    });
    const slow = database.transaction(async (tx) => {
      await tx.run(note('a'));
      await sleep(50);
      await tx.run(note('b'));
    });
    const scanned = database.scan.all(sql`SELECT 1 AS one`);
    await sleep(10);
    await Promise.all([database.close(), slow]);
    expect(await scanned).toEqual([{ one: 1 }]);
    const reopened = await again();
    expect(await names(reopened)).toEqual(['a', 'b']);
    await reopened.close();
    await place.remove();
  });

  it('that waits for one of another process does not hold up reads', async () => {
    const { database, place } = await open(backend);
    await database.transaction((tx) => tx.run(sql`CREATE TABLE accounts (id INTEGER)`));
    await database.transaction((tx) => tx.run(sql`INSERT INTO accounts VALUES (1)`));
    const release = await holdWrites(place.options);
    let done = false;
    const waiting = database
      .transaction((tx) => tx.run(sql`UPDATE accounts SET id = 2`))
      .then(() => {
        done = true;
      });
    for (let i = 0; i < 5; i++) {
      expect(await database.read.get(sql`SELECT id FROM accounts`)).toEqual({ id: 1 });
      await sleep(20);
    }
    expect(done).toBe(false);
    await release();
    await waiting;
    expect(await database.read.get(sql`SELECT id FROM accounts`)).toEqual({ id: 2 });
  });

  it('maintenance waits for its turn', async () => {
    const { database } = await open(backend);
    const slow = database.transaction(async (tx) => {
      await tx.run(note('a'));
      await sleep(50);
    });
    await sleep(10);
    await database.maintain(fragment(backend === 'sqlite' ? 'PRAGMA wal_checkpoint(TRUNCATE)' : 'VACUUM notes'));
    await slow;
    expect(await names(database)).toEqual(['a']);
  });
});

describe('SQLite', () => {
  it('a transaction that the engine ended because the disk is full commits nothing that comes after', async () => {
    const { database } = await open('sqlite');
    const pages = await database.read.get<{ page_count: number }>(sql`PRAGMA page_count`);
    const limit = (n: number) => database.transaction((tx) => tx.all(fragment(`PRAGMA max_page_count = ${n}`)));
    await limit((pages?.page_count ?? 0) + 2);
    const failed = database.transaction(async (tx) => {
      await tx.run(note('a'));
      tx.run(note('big', 'x'.repeat(100_000))).catch(() => {});
      // Each of these would fit by itself.
      tx.run(note('b')).catch(() => {});
      await tx.savepoint(() => tx.run(note('c'))).catch(() => {});
      return 'done';
    });
    await expect(failed).rejects.toMatchObject({ name: 'StorageError', reason: 'full' });
    expect(await names(database)).toEqual([]);
    await limit(1_000_000);
    await database.transaction((tx) => tx.run(note('big', 'x'.repeat(100_000))));
    expect(await names(database)).toEqual(['big']);
  });

  it('the thread for long reads comes back after it failed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mem-reader-'));
    const database = await openSqlite(folder);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'mem.db');
    renameSync(file, `${file}.away`);
    const lost = await Promise.allSettled([1, 2, 3].map((n) => database.scan.get(sql`SELECT ${n} AS n`)));
    for (const result of lost)
      expect((result as PromiseRejectedResult).reason).toMatchObject({ name: 'StorageError', reason: 'unavailable' });
    renameSync(`${file}.away`, file);
    expect(await database.scan.all(sql`SELECT 1 AS n UNION SELECT 2`)).toEqual([{ n: 1 }, { n: 2 }]);
    await expect(database.scan.all(fragment('SELECT nonsense'))).rejects.toThrow(/nonsense/);
    expect(await database.scan.get(sql`SELECT 3 AS n`)).toEqual({ n: 3 });
    await database.close();
  });
});
