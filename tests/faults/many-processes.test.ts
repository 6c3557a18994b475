import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApp } from '../../packages/server/src/app.ts';
import { backends, newPlace } from '../support/app.ts';
import { HttpClient } from './support/client.ts';
import { startMem, until } from './support/mem-process.ts';
import { call } from './support/open-kernel.ts';
import { expectAll, expectWhole, folderStore, readContents } from './support/store.ts';
import { startLoad } from './support/workload.ts';

const PROCESSES = 6;

it('six processes that open a new folder at the same moment all start, all write, and nothing is lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-many-'));
  const store = folderStore(join(folder, 'new'));
  try {
    const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startMem(store.env)));
    const loads = servers.map(({ url }, i) => startLoad(new HttpClient(url), { name: `p${i}`, writers: 3 }));
    const enough = () => loads.every(({ outcome }) => outcome.acknowledged.length > 50);
    await until(enough, { what: 'writes of every process' });
    const outcomes = await Promise.all(loads.map((load) => load.stop()));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ wrong: [], broken: 0, refusals: new Map() });
    const acknowledged = outcomes.flatMap((outcome) => outcome.acknowledged);
    const client = new HttpClient(servers[0]?.url as string);
    const contents = await readContents(client);
    expectAll(contents, acknowledged);
    await expectWhole(store, client, contents);
    for (const server of servers) expect(await server.stop()).toEqual({ code: 0, signal: null });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('a read through one process never shows less than what another has acknowledged, under load', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-reads-'));
  const store = folderStore(join(folder, 'new'));
  try {
    const servers = await Promise.all([startMem(store.env), startMem(store.env)]);
    const [writer, reader] = servers.map(({ url }) => new HttpClient(url)) as [HttpClient, HttpClient];
    let acknowledged = 0;
    let isOver = false;
    const behind: object[] = [];
    const read = async () => {
      while (!isOver) {
        const known = acknowledged;
        const { json } = await reader.get('/api/v1/entries/hot/k');
        if (!(json.value >= known)) behind.push({ known, shown: json.value });
      }
    };
    await writer.write('hot', 'k', 0);
    const readers = Array.from({ length: 16 }, read);
    for (let i = 1; i <= 150; i++) {
      expect((await writer.write('hot', 'k', i)).status).toBe(201);
      acknowledged = i;
    }
    isOver = true;
    await Promise.all(readers);
    expect(behind).toEqual([]);
    for (const server of servers) expect(await server.stop()).toEqual({ code: 0, signal: null });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each(backends)(
  'many openings of one empty store at the same moment make one schema and one account on %s',
  async (backend) => {
    const place = await newPlace(backend);
    try {
      const apps = await Promise.all(Array.from({ length: 8 }, () => openApp({ ...place.options, postgresPool: 2 })));
      const written = await Promise.all(
        apps.map(({ kernel }, i) => call(kernel, 'entries.write', { entity_path: 'a', key: `k${i}`, value: i })),
      );
      expect(written.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      await Promise.all(apps.map((app) => app.close()));
    } finally {
      await place.remove();
    }
  },
);
