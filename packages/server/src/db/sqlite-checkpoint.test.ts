import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Checkpointer, PAGE_BYTES } from './sqlite-checkpoint.ts';
import { loadDriver, openConnection } from './sqlite-connection.ts';

it('the WAL is written from its start again once it is full, and keeps its size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-wal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mem.db');
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
