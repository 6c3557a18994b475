import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fragment, sql } from './sql.ts';
import { openSqlite } from './sqlite.ts';
import { Checkpointer, PAGE_BYTES } from './sqlite-checkpoint.ts';
import { loadDriver, openConnection } from './sqlite-connection.ts';
import { SqliteReader } from './sqlite-reader.ts';

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-wal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

it('the WAL is written from its start again once it is full, and keeps its size', async () => {
  const file = join(newFolder(), 'mem.db');
  const writer = await openConnection(await loadDriver(), file, false);
  writer.exec('PRAGMA synchronous = OFF; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  const most = 32 * PAGE_BYTES;
  const checkpointer = new Checkpointer(file, most);
  const sizes: number[] = [];
  for (let i = 0; i < 400; i++) {
    writer.exec(`INSERT OR REPLACE INTO notes VALUES (${i % 5}, '${'x'.repeat(6_000)}')`);
    await checkpointer.committed();
    sizes.push(statSync(`${file}-wal`).size);
  }
  // It grows to its full size once, give or take the commits between two looks, and is neither cut nor grown after that.
  const full = sizes[100] as number;
  expect(full).toBeGreaterThan(most);
  expect(sizes.slice(100).every((size) => size >= full && size < 2 * most)).toBe(true);
  await checkpointer.close();
  writer.close();
});

/** SQLite's own wait for a reader was five seconds. */
const SOON_MS = 2500;

it('a write after a large one does not wait for the reader of an older state', async () => {
  const database = await openSqlite(newFolder());
  await database.transaction((tx) => tx.run(fragment('CREATE TABLE notes (text TEXT)')));
  const snapshot = await database.snapshot('acc');
  await snapshot.all(sql`SELECT count(*) FROM notes`);
  const many = fragment(`INSERT INTO notes
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT hex(zeroblob(500000)) FROM n`);
  await database.transaction((tx) => tx.run(many), 'large');
  const start = performance.now();
  await database.transaction((tx) => tx.run(sql`INSERT INTO notes VALUES ('short')`));
  expect(performance.now() - start).toBeLessThan(SOON_MS);
  await snapshot.close();
  await database.close();
});

it('writes are kept waiting only for a moment by a reader of the newest state', async () => {
  const file = join(newFolder(), 'mem.db');
  const writer = await openConnection(await loadDriver(), file, false);
  writer.exec(
    `PRAGMA synchronous = OFF; CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('${'x'.repeat(6_000)}')`,
  );
  const reader = new SqliteReader(file);
  await reader.all(sql`BEGIN`);
  await reader.all(sql`SELECT count(*) FROM notes`);
  const checkpointer = new Checkpointer(file, PAGE_BYTES);
  const start = performance.now();
  await checkpointer.largeCommitted();
  expect(performance.now() - start).toBeLessThan(SOON_MS);
  await reader.close();
  await checkpointer.close();
  writer.close();
});
