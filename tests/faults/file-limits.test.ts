import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestApp, type StorePlace } from '../support/app.ts';
import { HttpClient } from './support/client.ts';
import { runMem, startMem } from './support/mem-process.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (folder: string) => new Set(readdirSync(folder).map((name) => modeOf(join(folder, name))));

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mem-limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const LARGE = 'large '.repeat(10_000);

describe('a store whose files may not grow, under an open umask', () => {
  it('answers 507 beyond the limit of files, reads on, and is readable by nobody else', async () => {
    const home = newFolder();
    const dataDir = join(home, 'data');
    const under = ['bash', '-c', 'umask 000; ulimit -f 6000; "$@"', 'bash'];
    const mem = await startMem({ MEM_DATA_DIR: dataDir, MEM_HTTP_PORT: '0' }, { under });
    const client = new HttpClient(mem.url);
    await client.write('before', 'k', { text: 'still readable' });
    let status = 201;
    for (let i = 0; i < 200 && status === 201; i++) {
      const reply = await client.post('/api/v1/entries', { entity_path: 'full', key: `k${i}`, value: `${i} ${LARGE}` });
      status = reply.status;
      if (status !== 201) expect(reply.json).toMatchObject({ code: 'storage_full', status: 507 });
    }
    expect(status).toBe(507);
    expect((await client.get('/api/v1/entries/before/k')).status).toBe(200);
    expect([modeOf(dataDir), modesIn(dataDir)]).toEqual(['700', new Set(['600'])]);
    await mem.stop();
    const { code } = await runMem(
      { MEM_DATA_DIR: dataDir },
      {
        args: ['backup', join(home, 'copy.db')],
        under: ['bash', '-c', 'umask 000; "$@"', 'bash'],
      },
    );
    expect([code, modeOf(join(home, 'copy.db'))]).toEqual([0, '600']);
  });
});

describe('a store that was open to others', () => {
  it('is closed at the next start, and other files keep their rights', async () => {
    const dataDir = join(newFolder(), 'data');
    const place = { options: { dataDir }, remove: async () => {} } as StorePlace;
    await (await openTestApp('sqlite', { place })).close();
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o666);
    chmodSync(dataDir, 0o777);
    await (await openTestApp('sqlite', { place })).close();
    expect([modeOf(dataDir), modeOf(join(dataDir, 'mem.db'))]).toEqual(['700', '600']);

    const shared = join(newFolder(), 'project');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    writeFileSync(join(shared, 'notes.txt'), 'mine', { mode: 0o644 });
    const within = { options: { dataDir: shared }, remove: async () => {} } as StorePlace;
    await (await openTestApp('sqlite', { place: within })).close();
    expect([modeOf(shared), modeOf(join(shared, 'notes.txt')), modeOf(join(shared, 'mem.db'))]).toEqual([
      '755',
      '644',
      '600',
    ]);
  });
});
