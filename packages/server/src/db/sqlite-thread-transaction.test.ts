import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StorageError } from './database.ts';
import { fragment, sql } from './sql.ts';
import { loadDriver, openConnection } from './sqlite-connection.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { SqliteThreadTransaction } from './sqlite-thread-transaction.ts';

/** A thread that has begun nothing yet, on a new store. */
async function newThread(): Promise<SqliteReader> {
  const folder = mkdtempSync(join(tmpdir(), 'mem-thread-'));
  const file = join(folder, 'mem.db');
  const writer = await openConnection(await loadDriver(), file, false);
  writer.exec('CREATE TABLE notes (text TEXT)');
  const thread = new SqliteReader(file, { readOnly: false });
  onTestFinished(async () => {
    await thread.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });
  return thread;
}

it('a large transaction says whether it changed anything', async () => {
  const thread = await newThread();
  const commit = async (text: string): Promise<boolean> => {
    const tx = new SqliteThreadTransaction(thread);
    await tx.begin();
    await tx.run(fragment(text));
    return tx.commit();
  };
  expect(await commit("INSERT INTO notes VALUES ('one')")).toBe(true);
  expect(await commit('DELETE FROM notes WHERE rowid > 5')).toBe(false);
  expect(await commit('DELETE FROM notes')).toBe(true);
});

it('a thread that has not begun the transaction does none of its steps', async () => {
  // As after the end of the thread that began it.
  const thread = await newThread();
  const tx = new SqliteThreadTransaction(thread);
  const step = () => tx.run(sql`INSERT INTO notes VALUES ('lost')`);
  await expect(step()).rejects.toBeInstanceOf(StorageError);
  await expect(tx.savepoint(step)).rejects.toBeInstanceOf(StorageError);
  await tx.rollback();
  await expect(step()).rejects.toBeInstanceOf(StorageError);
  await expect(tx.commit()).rejects.toBeInstanceOf(StorageError);
  await tx.begin();
  await step();
  await tx.commit();
  expect(await thread.all(sql`SELECT text FROM notes`)).toEqual([{ text: 'lost' }]);
});
