import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HttpClient } from './support/client.ts';
import { runMem, startMem } from './support/mem-process.ts';
import { folderStore } from './support/store.ts';

const COMMITS = 6;
const WRITES = 500;

it('a command that searches while the index of words is made again answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-search-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { env } = folderStore(folder);
  const mem = await startMem(env);
  const client = new HttpClient(mem.url);
  for (let commit = 0; commit < COMMITS; commit++) {
    const writes = Array.from({ length: WRITES }, (_, i) => ({
      entity_path: `p/${commit}`,
      key: `k${i}`,
      value: `apple number ${commit} ${i} ${`w${i} `.repeat(40)}`,
    }));
    expect((await client.post('/api/v1/commits', { writes })).status).toBe(201);
  }
  expect(await mem.stop()).toEqual({ code: 0, signal: null });
  for (const name of readdirSync(folder)) if (name.startsWith('words.db')) rmSync(join(folder, name));
  const { code, stdout } = await runMem(env, { args: ['search', 'apple number', '--limit', '1', '--json'] });
  expect(code).toBe(0);
  expect(stdout).toContain('apple number');
  expect(readdirSync(folder).filter((name) => name.startsWith('pending-notes'))).toEqual([]);
});
