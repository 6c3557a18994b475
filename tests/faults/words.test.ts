import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpClient } from './support/client.ts';
import { startMem, until } from './support/mem-process.ts';
import { expectFound, folderStore, type StoreAccess } from './support/store.ts';
import { newOutcome, startLoad } from './support/workload.ts';

/** More than are indexed at once, so that each process indexes while others write. */
const WRITES = 1300;

describe('a search finds all that was acknowledged', () => {
  let folder: string;
  let place: StoreAccess;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mem-words-'));
    place = folderStore(join(folder, 'store'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('with two processes that write and index, one killed meanwhile, and in the next one', async () => {
    const outcome = newOutcome();
    const [first, second] = [await startMem(place.env), await startMem(place.env)];
    const loads = [first, second].map((mem, i) => startLoad(new HttpClient(mem.url), { name: `p${i}`, outcome }));
    await until(() => outcome.acknowledged.length > WRITES, { what: 'writes to be acknowledged' });
    await until(() => existsSync(join(folder, 'store', 'words.db')), { what: 'the index' });
    expect(await first.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    const known = outcome.acknowledged.slice();
    await expectFound(new HttpClient(second.url), known);
    for (const load of loads) await load.stop();
    await expectFound(new HttpClient(second.url), outcome.acknowledged);
    expect(await second.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    const third = await startMem(place.env);
    await expectFound(new HttpClient(third.url), outcome.acknowledged);
    expect(await third.stop()).toEqual({ code: 0, signal: null });
  });
});
